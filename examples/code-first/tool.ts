/** Reads an amount such as `1,250.50 EUR`; the tool under test. */
export function readAmount({ text }: { text: string }): { value: number; currency: string } {
  const [, digits, currency] = /^([\d,.]+) ([A-Z]{3})$/.exec(text) ?? [];
  if (digits === undefined || currency === undefined) throw new RangeError(`not an amount: ${text}`);
  return { value: Number(digits.replaceAll(',', '')), currency };
}
