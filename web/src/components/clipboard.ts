import { serverNow } from '@/lib/serverClock';
import { formatDateTime } from '@/lib/time';

const DAY_CHARACTERS = 10;

/** Copy a text. Pages served without TLS have no clipboard API; a selection does it there. Returns success. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
    }
  }
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  return done;
}

/** What a file holds and of which day, as its name. */
export function datedName(what: string, ending: string): string {
  const day = formatDateTime(serverNow()).slice(0, DAY_CHARACTERS);
  return `${what.replace(/[\\/:*?"<>|]/g, '_')} ${day}.${ending}`;
}

/** Offer a text as a file. */
export function saveText(name: string, type: string, text: string): void {
  saveBlob(name, new Blob([text], { type }));
}

/** Offer a file. */
export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
