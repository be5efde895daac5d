import { createReadStream } from 'node:fs';
import { decodeText } from '../../sources/source-file.ts';

const newline = 0x0a;

/** The text of a file in pieces of whole lines; what is not UTF-8 text is refused with its place. */
export async function* decodedText(file: string, path: string): AsyncGenerator<string, void> {
  let unfinished: Buffer[] = [];
  let line = 1;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(newline) + 1;
    if (end === 0) {
      unfinished.push(chunk);
      continue;
    }
    const lines = Buffer.concat([...unfinished, chunk.subarray(0, end)]);
    unfinished = [chunk.subarray(end)];
    yield decodeText(file, lines, line);
    line += countNewlines(lines);
  }
  yield decodeText(file, Buffer.concat(unfinished), line);
}

function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) count++;
  return count;
}
