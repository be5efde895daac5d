import { textsOf } from '../listed-server.ts';
import type { Finding, Rule } from '../rule.ts';

/** Marks of direction, zero-width characters and tags; the joiner between letters of emoji is none of them. */
const invisible =
  /[\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\u{E0000}-\u{E007F}]|[\u0000-\u0008\u000B\u000C\u000E-\u001F]/u;

/** Characters that people do not see and models read. */
export const invisibleCharacters: Rule = {
  id: 'invisible-characters',
  severity: 'error',
  summary: 'A definition contains invisible characters',
  why: 'Models read what nobody sees when reviewing the server: it is how instructions are hidden.',
  fix: 'Remove the characters.',
  check: (server) =>
    textsOf(server).flatMap(({ tools, text }): Finding[] => {
      const match = invisible.exec(text);
      if (!match) return [];
      const code = match[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
      const before = text.slice(Math.max(0, match.index - 30), match.index);
      return [{ message: `There is a U+${code} after "${before}".`, tools }];
    }),
};
