import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { AssayError } from '../../../../domain/errors.ts';
import type { ListedServer } from '../../../../mcp-check/definitions/listed-server.ts';
import { counted } from '../../../../shared/format.ts';
import { writeNew } from '../../../../shared/redacted-files.ts';
import { redactedText } from '../../../../shared/redaction/redacted.ts';
import { type Redact, redactDeep, redactedJson } from '../../../../shared/redaction/redaction.ts';
import { printable, shorten } from '../../../../shared/text.ts';
import { type CliContext, write } from '../../context.ts';

const longestText = 120;

/** Fixes never replace a file of the user. */
export function assertNew(file: string, cwd: string): void {
  if (!existsSync(resolve(cwd, file))) return;
  throw new AssayError('USAGE', `"${file}" exists already; nothing was checked.`, { hint: 'Name a new file.' });
}

/** Writes the mechanical fixes as a wording, and lists each of them on stderr. */
export async function writeFixes(
  file: string,
  listed: ListedServer,
  { cwd, stderr }: CliContext,
  redact: Redact,
): Promise<void> {
  const { wordingFixes } = await import('../../../../mcp-check/wording-fixes.ts');
  const { fixes, rewrites } = redactDeep(wordingFixes(listed), redact);
  if (fixes.length === 0) return write(stderr, 'No mechanical fix: nothing was written.\n');
  const document = { wordings: { fixed: rewrites }, fixes };
  await writeNew(resolve(cwd, file), redactedText`${redactedJson(document, redact, 2)}\n`);
  const oneLine = (text: string): string => shorten(printable(text), longestText);
  const lines = fixes.map(({ tool, place, rule, before, after }) => {
    return `  ${oneLine(tool)} ${oneLine(place)} (${rule})\n    - ${oneLine(before)}\n    + ${oneLine(after)}\n`;
  });
  const what = counted(fixes.length, 'fix', 'fixes');
  await write(stderr, `${what} written to ${file}; nothing else was changed:\n${lines.join('')}`);
}
