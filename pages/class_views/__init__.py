"""What a room of a class looks like: the lecturer's and the students' line, and the wall."""
