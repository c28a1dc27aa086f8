import { vi } from 'vitest';

/** Files that the page offers to save from now on: their names and what is in them. */
export function offeredFiles(): { name: string; content: Blob }[] {
  const files: { name: string; content: Blob }[] = [];
  let newest = new Blob();
  URL.createObjectURL = (content) => {
    newest = content as Blob;
    return 'blob:offered';
  };
  URL.revokeObjectURL = () => undefined;
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
    files.push({ name: this.download, content: newest });
  });
  return files;
}
