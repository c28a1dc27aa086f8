let known: boolean | null = null;

/** Has this browser the graphics that the map needs? Asked once: a page has only few of such contexts. */
export function hasWebGl(): boolean {
  known ??= ask();
  return known;
}

function ask(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null;
}
