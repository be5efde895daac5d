import { extname } from 'node:path';

const textEndings = new Set(['.txt', '.md', '.json', '.jsonl', '.yaml', '.yml', '.log', '.csv', '.xml', '.diff']);

/** A download, which browsers never show as a page of this server, whatever it contains. */
export function download(body: ReadableStream<Uint8Array>, fileName: string, bytes?: number): Response {
  const isText = textEndings.has(extname(fileName).toLowerCase());
  return new Response(body as ConstructorParameters<typeof Response>[0], {
    headers: {
      'content-type': isText ? 'text/plain; charset=utf-8' : 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''${encoded(fileName)}`,
      ...(bytes === undefined ? {} : { 'content-length': String(bytes) }),
    },
  });
}

/** As RFC 5987 wants it: some characters that addresses may have are special here. */
function encoded(fileName: string): string {
  const special = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(fileName.toWellFormed()).replace(/['()*]/g, special);
}
