import { ApiError, opened } from './errors';
import { freshToken } from './http';

/** A file of a gigabyte takes hours on a slow line: the upload ends when nothing of it was taken for so long. */
export const UPLOAD_STALL_MS = 60_000;

interface Options {
  signal: AbortSignal;
  /** How much of the file is sent, 0 to 1. */
  onShare: (share: number) => void;
}

/**
 * Send a file as it is, and say how far it is: fetch cannot. Gives the envelope's data; throws ApiError, or the
 * AbortError of who gave it up. url: path and query below this origin.
 */
export async function uploadFile<T>(url: string, file: Blob, { signal, onShare }: Options): Promise<T> {
  const token = await freshToken();
  signal.throwIfAborted();
  return new Promise<T>((resolve, reject) => {
    const request = new XMLHttpRequest();
    let stalled: ReturnType<typeof setTimeout>;
    const end = (work: () => void): void => {
      clearTimeout(stalled);
      signal.removeEventListener('abort', giveUp);
      work();
    };
    const stop = (error: unknown): void => {
      end(() => reject(error));
      request.abort();
    };
    const giveUp = (): void => stop(signal.reason);
    const moved = (): void => {
      clearTimeout(stalled);
      stalled = setTimeout(() => stop(new ApiError({ cause: 'timeout' })), UPLOAD_STALL_MS);
    };
    signal.addEventListener('abort', giveUp);
    request.upload.onprogress = ({ loaded, total }) => {
      moved();
      if (total > 0) onShare(loaded / total);
    };
    request.onload = () =>
      end(() => {
        try {
          resolve(opened(JSON.parse(request.responseText), request) as T);
        } catch (error) {
          const { status, statusText } = request;
          reject(error instanceof ApiError ? error : new ApiError({ status, statusText, msg: `HTTP ${status}` }));
        }
      });
    request.onerror = () => end(() => reject(new ApiError({ cause: 'network', msg: 'upload' })));
    request.open('POST', url);
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    if (token !== null) request.setRequestHeader('X-Token', token);
    moved();
    request.send(file);
  });
}
