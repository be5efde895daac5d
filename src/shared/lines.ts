/** The lines of a text stream without their line ends; a byte order mark at the start is dropped. */
export async function* eachLine(chunks: AsyncIterable<string>): AsyncGenerator<string, void> {
  let rest = '';
  let isFirst = true;
  for await (const chunk of chunks) {
    const text = isFirst ? chunk.replace(/^\uFEFF/, '') : chunk;
    isFirst = false;
    rest += text;
    // Looked for in the new part only, so that a line of many chunks is not searched again with each of them.
    if (!text.includes('\n')) continue;
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  if (rest !== '') yield rest;
}
