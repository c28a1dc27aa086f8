/** The list with the element at one place put to another; the same list when one of them is no place. */
export function moved<T>(list: readonly T[], from: number, to: number): readonly T[] {
  if (from === to || from < 0 || to < 0 || from >= list.length || to >= list.length) return list;
  const rest = list.filter((_, at) => at !== from);
  return [...rest.slice(0, to), list[from] as T, ...rest.slice(to)];
}
