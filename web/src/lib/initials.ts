/** First characters of the sounds, in the order of the collator; i, u and v begin none. */
const FIRST = [
  ...'\u963f\u516b\u5693\u54d2\u59b8\u53d1\u65ee\u54c8\u8ba5\u5494\u5783\u5988\u62ff\u5662\u5991\u4e03\u5465\u6492\u5b83\u6316\u5915\u4e2b\u5e00',
];
const LETTERS = 'abcdefghjklmnopqrstwxyz';
const HAN = /\p{Script=Han}/u;

let collator: Intl.Collator | null = null;

/** Initial letters of the sounds of a Chinese text, as one types them. Other characters stay as they are. */
export function initials(text: string): string {
  collator ??= new Intl.Collator('zh-CN-u-co-pinyin');
  const { compare } = collator;
  return [...text]
    .map((char) =>
      HAN.test(char) ? (LETTERS[FIRST.findLastIndex((first) => compare(first, char) <= 0)] ?? '') : char.toLowerCase(),
    )
    .join('');
}
