/** Texts by namespace from files '…/features/<namespace>/locales/<language>.json'. */
export function byFeature(
  files: Record<string, { default: Record<string, unknown> }>,
): Record<string, Record<string, unknown>> {
  const spaces: Record<string, Record<string, unknown>> = {};
  for (const [path, file] of Object.entries(files)) {
    const name = /features\/([^/]+)\//.exec(path)?.[1];
    if (name !== undefined) spaces[name] = file.default;
  }
  return spaces;
}
