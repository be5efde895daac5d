/** A text as it is compared: characters that Unicode can spell in several ways have one spelling (NFC). */
export function composed(text: string): string {
  return text.normalize('NFC');
}
