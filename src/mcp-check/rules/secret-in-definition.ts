import { redactPatterns } from '../../shared/redaction/secret-patterns.ts';
import { textsOf } from '../listed-server.ts';
import type { Finding, Rule } from '../rule.ts';

const shownCharacters = 60;

/** Keys and passwords in what everybody can read. */
export const secretInDefinition: Rule = {
  id: 'secret-in-definition',
  severity: 'error',
  summary: 'A definition seems to contain a secret',
  why: 'Definitions go to every client and every provider of models.',
  fix: 'Take it out, make it invalid, and read it from the environment of the server instead.',
  check: (server) =>
    textsOf(server).flatMap(({ tools, text }): Finding[] => {
      const clean = redactPatterns(text);
      if (clean === text) return [];
      const at = clean.indexOf('[REDACTED');
      const around = clean.slice(Math.max(0, at - shownCharacters), at + shownCharacters / 2);
      return [{ message: `There is what looks like a key or a password: "${around}"`, tools }];
    }),
};
