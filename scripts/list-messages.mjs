import { fileURLToPath } from 'node:url';
import { messagesIn } from './messages.mjs';

/** `node scripts/list-messages.mjs`: every message that users can read, with its place and kind, one per line. */
for (const { path, line, kind, text } of messagesIn(fileURLToPath(new URL('..', import.meta.url)))) {
  process.stdout.write(`${path}:${line}\t${kind}\t${text}\n`);
}
