/** A number as it was typed: its plain form and its value; or why it is none. */
export type Typed = { plain: string; value: number } | { broken: 'form' | 'thousands' | 'digits' };

const FULL_WIDTH_ZERO = 0xff10;
const FULL_WIDTH_DIGIT = /[\uff10-\uff19]/g;
const POINT = /[,\uff0c\uff0e\u3002]/g;
const MINUS = /[\uff0d\u2212]/g;
const NUMBER = /^(-?)0*(\d+(?:\.\d+)?)$/;
/** As many digits as a double keeps whatever they are. */
const MAX_DIGITS = 15;
/** 1,234 is one point two in one country and one thousand two hundred in another: not guessed at. */
const THOUSANDS = /^-?[1-9]\d{0,2}[,\uff0c]\d{3}$/;

function plainOf(text: string): string {
  return text
    .replace(FULL_WIDTH_DIGIT, (digit) => String(digit.charCodeAt(0) - FULL_WIDTH_ZERO))
    .replace(POINT, '.')
    .replace(MINUS, '-');
}

/**
 * The number that a text is: a sign if negative, digits, and a point between digits. A comma, and full-width digits
 * and marks of a Chinese keyboard, count as their plain forms; anything else makes the text none, never another number.
 */
export function typedNumber(text: string): Typed {
  const plain = plainOf(text);
  const match = NUMBER.exec(plain);
  if (match === null) return { broken: 'form' };
  if (THOUSANDS.test(text.replace(FULL_WIDTH_DIGIT, plainOf).replace(MINUS, '-'))) return { broken: 'thousands' };
  const [, sign = '', digits = ''] = match;
  if (digits.replace('.', '').replace(/^0+/, '').length > MAX_DIGITS) return { broken: 'digits' };
  const value = Number(digits);
  return value === 0 ? { plain: digits, value: 0 } : { plain: sign + digits, value: Number(sign + digits) };
}

/** Digits after the point of a plain number. */
export function decimalsOf(plain: string): number {
  const point = plain.indexOf('.');
  return point < 0 ? 0 : plain.length - point - 1;
}
