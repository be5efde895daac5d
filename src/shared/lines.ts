/** The lines of a text stream without their line ends; a byte order mark at the start is dropped. */
export async function* eachLine(chunks: AsyncIterable<string>): AsyncGenerator<string, void> {
  let rest = '';
  let isFirst = true;
  for await (const chunk of chunks) {
    const lines = (rest + (isFirst ? chunk.replace(/^\uFEFF/, '') : chunk)).split('\n');
    isFirst = false;
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  if (rest !== '') yield rest;
}
