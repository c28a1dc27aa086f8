/** What may be uploaded, by kind of use: the same rules and reasons as the cloud's, which decides. */
export type PictureForm = 'png' | 'jpg' | 'gif' | 'svg';

export interface UploadRule {
  forms: readonly PictureForm[];
  maxBytes: number;
  /** A square picture of so many pixels, least and most. */
  side?: readonly [number, number];
}

const KIB = 1024;
const MIB = 1024 * 1024;

export const UPLOAD_RULES = {
  background: { forms: ['jpg', 'png', 'svg'], maxBytes: MIB },
  logo: { forms: ['png'], maxBytes: MIB, side: [50, 200] },
  carousel: { forms: ['png'], maxBytes: 100 * KIB },
  icon: { forms: ['svg', 'png', 'jpg', 'gif'], maxBytes: 20 * KIB },
  picture: { forms: ['jpg', 'png'], maxBytes: MIB },
} as const satisfies Record<string, UploadRule>;

export type UploadKind = keyof typeof UPLOAD_RULES;

/** Why a file is refused: the end of 'base:refusal.file.', with what fills its placeholders. */
export interface UploadFault {
  reason: 'form' | 'size' | 'side';
  args: Record<string, string | number>;
}

/** First bytes that tell the form of a picture. */
export const HEAD_BYTES = 1024;

const MEDIA_TYPES: Record<PictureForm, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  svg: 'image/svg+xml',
};

/** For the file dialog. */
export function acceptOf(rule: UploadRule): string {
  return rule.forms.map((form) => MEDIA_TYPES[form]).join(',');
}

/** Told from the bytes, never from the name; null for what is none of the four. */
export function formOf(head: Uint8Array): PictureForm | null {
  const begins = (...bytes: number[]): boolean => bytes.every((byte, at) => head[at] === byte);
  if (begins(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'png';
  if (begins(0xff, 0xd8, 0xff)) return 'jpg';
  if (begins(0x47, 0x49, 0x46, 0x38)) return 'gif';
  const text = new TextDecoder().decode(head).trimStart();
  return text.startsWith('<') && /<(?:\w+:)?svg[\s>/]/.test(text) ? 'svg' : null;
}

/** '100 KB', '1 MB' */
export function bytesText(bytes: number): string {
  return bytes >= MIB ? `${Math.round((bytes / MIB) * 10) / 10} MB` : `${Math.round(bytes / KIB)} KB`;
}

/** What a rule asks, for its words. */
export function ruleArgs(rule: UploadRule): Record<string, string | number> {
  return {
    forms: rule.forms.join(', '),
    most: bytesText(rule.maxBytes),
    least_px: rule.side?.[0] ?? 0,
    most_px: rule.side?.[1] ?? 0,
  };
}

/** The first rule that a file breaks; null for none. pixels: null when the picture has no fixed size. */
export function uploadFault(
  rule: UploadRule,
  file: { size: number; form: PictureForm | null; pixels: { width: number; height: number } | null },
): UploadFault | null {
  const fault = (reason: UploadFault['reason']): UploadFault => ({ reason, args: ruleArgs(rule) });
  if (file.size === 0 || file.size > rule.maxBytes) return fault('size');
  if (file.form === null || !rule.forms.includes(file.form)) return fault('form');
  if (rule.side === undefined || file.pixels === null) return null;
  const { width, height } = file.pixels;
  const [min, max] = rule.side;
  return width === height && width >= min && width <= max ? null : fault('side');
}
