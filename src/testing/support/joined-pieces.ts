/** A text that comes in pieces. */
export async function joinedPieces(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}
