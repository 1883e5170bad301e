// The scripts that run in a visitor's page: a part each, by its name. scripts.py fills in the width @NARROW.

//// TO_THE_TOP
// Scroll to the top of the page, which may be longer than a phone's screen.
document.querySelector('[data-testid=stMain]').scrollTo(0, 0)

//// TO_THE_ANSWER
// Scroll to what the press of a button asked for; on a wide screen it is in view, but for a page that asks in steps.
document.querySelector(
  matchMedia('@NARROW').matches ? '.st-key-dpq_answer_place' : '.st-key-dpq_last_step'
)?.scrollIntoView()

//// TO_THE_READING
// Bring that line into view: the read button is below it, and everything between them disappeared with the file.
(function seek(left) {
  const line = document.querySelector('.st-key-dpq_how_it_was_read')
  if (line) line.scrollIntoView({block: 'nearest'})
  else if (left) setTimeout(seek, 100, left - 1)
})(30)

//// NAME_THE_MENU
// On narrow screens Streamlit calls the menu "Expand sidebar", and offers no other name for it. There the menu lies over
// the page, so a tap on a page in it shuts it, and so does a reload: Streamlit opens the menu again where the browser
// remembers it as open. And figures that are swiped there are reached by the keyboard, which then scrolls them.
(() => {
  const names = {
    '[data-testid=stExpandSidebarButton]': 'Menu',
    '[data-testid=stSidebarCollapseButton] button': 'Close the menu',
    '[data-testid=stSidebar]': 'Menu',
  }
  const narrow = () => matchMedia('@NARROW').matches
  const all = () => {
    for (const [place, name] of Object.entries(names)) document.querySelector(place)?.setAttribute('aria-label', name)
    document.querySelectorAll('.st-key-dpq_figures [data-testid=stHorizontalBlock]').forEach(each => {
      each.tabIndex = narrow() ? 0 : -1
    })
  }
  all()
  const open = '[data-testid=stSidebar][data-collapsed=false] [data-testid=stSidebarCollapseButton] button'
  const shut = () => narrow() && setTimeout(() => document.querySelector(open)?.click(), 150)
  window.dpqShut ??= !shut() | !document.addEventListener('click', ({target}) =>
    target.closest('[data-testid=stSidebarNavLink]') && shut())
  window.dpqMenu ??= new MutationObserver(all)
  window.dpqMenu.observe(document.querySelector('[data-testid=stApp]'), {childList: true, subtree: true})
})()

//// PICTURES
// Let the camera of a figure save SVG where Shift is held; plotly knows one format a figure.
window.dpqPictures ??= !document.addEventListener('click', ({target, shiftKey}) => {
  const options = target.closest('.modebar-btn')?.closest('.js-plotly-plot')?._context.toImageButtonOptions
  if (options) options.format = shiftKey ? 'svg' : 'png'
}, true)

//// TO_THE_FIELD
// Put the cursor into the field that the occasion names, or on its first button, once its part of the form is open.
(function seek(left) {
  const occasions = [...document.querySelectorAll('[data-occasion]')].map(mark => mark.dataset.occasion)
  const sought = occasions.filter(word => word.startsWith('field:')).pop()?.slice(6)
  const [field] = ['input', 'button'].flatMap(kind => [...document.querySelectorAll(`.st-key-${sought} ${kind}`)])
  if (field) { field.scrollIntoView({block: 'center'}); field.focus() }
  else if (left) setTimeout(seek, 100, left - 1)
})(30)

//// WARN_BEFORE_LEAVING
// Let the browser ask before it leaves a page with own data, and what was typed of it: no link brings that back.
window.dpqLeaving ??= !addEventListener('beforeunload', event => {
  const own = '[data-testid=stFileChip], [class*=st-key-dpq_pasted_] textarea:not(:placeholder-shown)'
  if (document.querySelector(`[data-occasion=unsaved], ${own}`)) event.preventDefault()
})
