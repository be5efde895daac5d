import type { ApiError } from '../api/paging.ts';

/** A refusal for somebody who looks at it in a browser. */
export function refusalPage({ error, hint }: ApiError): string {
  const told = hint === undefined ? '' : `\n<p>${escaped(hint)}</p>`;
  return `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Assay</title></head>\n<body>\n<h1>Assay</h1>\n<p>${escaped(error)}</p>${told}\n</body>\n</html>\n`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
