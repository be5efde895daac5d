const words = new Intl.Segmenter('en', { granularity: 'word' });

/** Scripts that are written without spaces: a quote may begin and end at any of their characters. */
const unspaced =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u;

/** Words that occur in nearly every text, so that finding them shows nothing. */
const stopWords: ReadonlySet<string> = new Set(
  `a an and are as at be been but by can could did do does for from had has have he her his i if in is it its may me
  my of on or our she so that the their them then there these they this to was we were will with would you your`.split(
    /\s+/,
  ),
);

/** The form in which quotes and texts are compared: NFKC, and every run of white space as one blank. */
export function comparable(text: string): string {
  return text.normalize('NFKC').replace(/\s+/gu, ' ').trim();
}

/** Whether a quote says something: a word of two letters or more that is not a stop word, a number, or an ideograph. */
export function isInformative(quote: string): boolean {
  for (const { segment, isWordLike } of words.segment(quote)) {
    if (!isWordLike || stopWords.has(segment.toLowerCase())) continue;
    if (/\p{N}/u.test(segment) || [...segment].length > 1 || unspaced.test(segment)) return true;
  }
  return false;
}

/** Whether a text holds a quote as whole words; both in comparable form. */
export function holdsWords(text: string, quote: string): boolean {
  for (let at = text.indexOf(quote); at !== -1; at = text.indexOf(quote, at + 1)) {
    if (isBoundary(text, at) && isBoundary(text, at + quote.length)) return true;
  }
  return false;
}

function isBoundary(text: string, at: number): boolean {
  if (at === 0 || at === text.length) return true;
  const before = String.fromCodePoint(text.codePointAt(at - (isLowSurrogate(text, at - 1) ? 2 : 1)) ?? 0);
  const after = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (unspaced.test(before) || unspaced.test(after)) return true;
  return words.segment(text).containing(at)?.index === at;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
