import { fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '@/api/errors';
import { UploadField } from '@/components/UploadField';
import type { UploadKind } from '@/lib/uploads';
import { show } from './render';

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const JPG = [0xff, 0xd8, 0xff, 0xe0];
const KIB = 1024;
const NONE: readonly string[] = [];

const upload = vi.fn<(file: File) => Promise<string>>();

beforeEach(() => {
  upload.mockReset();
  upload.mockImplementation((file) => Promise.resolve(`/files/${file.name}`));
});

function picture(head: readonly number[], bytes: number, name = 'a.png'): File {
  const data = new Uint8Array(bytes);
  data.set(head.slice(0, bytes));
  return new File([data], name);
}

function Field({
  kind,
  max,
  first = NONE,
}: {
  kind: UploadKind;
  max?: number;
  first?: readonly string[];
}): ReactElement {
  const [value, setValue] = useState<readonly string[]>(first);
  return (
    <UploadField
      kind={kind}
      label="Picture"
      value={value}
      onChange={setValue}
      upload={upload}
      {...(max === undefined ? {} : { max })}
    />
  );
}

const field = (kind: UploadKind): HTMLElement => screen.getByTestId(`upload-${kind}`);
const drop = (kind: UploadKind, ...files: File[]): boolean => fireEvent.drop(field(kind), { dataTransfer: { files } });
const pictures = (): string[] => screen.queryAllByRole('img').map((img) => img.getAttribute('src') ?? '');

test('a picture that is chosen is sent and shown; the next takes its place', async () => {
  const { user, container } = await show(<Field kind="picture" />);
  const input = container.querySelector<HTMLInputElement>('input[type=file]')!;
  expect(input.accept).toBe('image/jpeg,image/png');
  fireEvent.change(input, { target: { files: [picture(PNG, 100, 'one.png')] } });
  await waitFor(() => expect(pictures()).toEqual(['/files/one.png']));
  drop('picture', picture(JPG, 100, 'two.jpg'));
  await waitFor(() => expect(pictures()).toEqual(['/files/two.jpg']));
  await user.click(screen.getByTestId('upload-remove'));
  expect(pictures()).toEqual([]);
});

test.each([
  ['a text under the name of a picture', 'picture', [0x68, 0x69], 100, /jpg, png/],
  ['a form that this use does not take', 'carousel', JPG, 100, /png/],
  ['an empty file', 'picture', PNG, 0, /1 MB/],
  ['one byte too many', 'carousel', PNG, 100 * KIB + 1, /100 KB/],
] as const)('%s is refused here, in words that name the rule', async (_what, kind, head, bytes, words) => {
  await show(<Field kind={kind} />);
  drop(kind, picture(head, bytes));
  expect((await screen.findByRole('alert')).textContent).toMatch(words);
  expect(upload).not.toHaveBeenCalled();
});

test('as many bytes as are allowed are sent', async () => {
  await show(<Field kind="carousel" />);
  drop('carousel', picture(PNG, 100 * KIB));
  await waitFor(() => expect(pictures()).toHaveLength(1));
});

test.each([
  [50, 50, true],
  [200, 200, true],
  [49, 49, false],
  [201, 201, false],
  [100, 60, false],
])('a logo of %i x %i pixels is taken: %s', async (width, height, taken) => {
  vi.stubGlobal('createImageBitmap', () => Promise.resolve({ width, height, close: () => undefined }));
  await show(<Field kind="logo" />);
  drop('logo', picture(PNG, 200));
  if (taken) {
    await waitFor(() => expect(pictures()).toHaveLength(1));
  } else {
    expect((await screen.findByRole('alert')).textContent).toMatch(/50.*200/);
    expect(upload).not.toHaveBeenCalled();
  }
  vi.unstubAllGlobals();
});

test('a logo that the browser cannot read is refused', async () => {
  vi.stubGlobal('createImageBitmap', () => Promise.reject(new DOMException('broken', 'InvalidStateError')));
  await show(<Field kind="logo" />);
  drop('logo', picture(PNG, 200));
  expect(await screen.findByRole('alert')).toBeTruthy();
  expect(upload).not.toHaveBeenCalled();
  vi.unstubAllGlobals();
});

test('a list takes no more than its most, and counts them', async () => {
  await show(<Field kind="carousel" max={2} first={['/files/0.png']} />);
  expect(field('carousel').textContent).toMatch(/1.*2/);
  drop('carousel', picture(PNG, 10, '1.png'));
  await waitFor(() => expect(pictures()).toEqual(['/files/0.png', '/files/1.png']));
  expect(screen.getByTestId<HTMLButtonElement>('upload-choose').disabled).toBe(true);
  drop('carousel', picture(PNG, 10, '2.png'));
  expect(upload).toHaveBeenCalledTimes(1);
});

test('what the cloud refuses is told at the field, and goes with the next that is taken', async () => {
  upload.mockRejectedValueOnce(new ApiError({ code: 20_000, status: 507, msg: 'no space left' }));
  await show(<Field kind="picture" />);
  drop('picture', picture(PNG, 10));
  expect((await screen.findByRole('alert')).textContent).toContain('no space left');
  expect(pictures()).toEqual([]);
  drop('picture', picture(PNG, 10));
  await waitFor(() => expect(pictures()).toHaveLength(1));
  expect(screen.queryByRole('alert')).toBeNull();
});

test('while one is under way no other is taken', async () => {
  let done: (url: string) => void = () => undefined;
  upload.mockImplementationOnce(() => new Promise((resolve) => (done = resolve)));
  await show(<Field kind="picture" />);
  drop('picture', picture(PNG, 10, 'slow.png'));
  await waitFor(() => expect(upload).toHaveBeenCalledTimes(1));
  await waitFor(() => expect(screen.getByTestId<HTMLButtonElement>('upload-choose').disabled).toBe(true));
  drop('picture', picture(PNG, 10, 'second.png'));
  done('/files/slow.png');
  await waitFor(() => expect(pictures()).toEqual(['/files/slow.png']));
  expect(upload).toHaveBeenCalledTimes(1);
});
