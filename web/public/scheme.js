// Before the first paint: the stored colour scheme, so that a dark page does not flash white.
(function () {
  var kept = null;
  try {
    kept = localStorage.getItem('mantine-color-scheme-value');
  } catch {
    kept = null;
  }
  var dark = kept === 'dark' || (kept !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
