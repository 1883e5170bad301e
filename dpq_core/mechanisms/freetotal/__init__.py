"""JointExp with a free total: one draw of all quantiles, compared with the total that fits the answers best."""
