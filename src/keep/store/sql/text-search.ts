import { type Expression, type RawBuilder, sql } from 'kysely';
import { AssayError } from '../../../domain/errors.ts';
import { storable } from './trial-row.ts';

const longestText = 500;

/** Whether an expression holds a text, whatever the case of its letters; engines differ in how they are asked. */
export type TextSearch = (where: Expression<unknown>, text: string) => RawBuilder<boolean>;

/**
 * SQLite knows the case of ASCII letters only. A pattern that names both cases of every letter does not depend on what
 * the engine knows.
 */
export const sqliteTextSearch: TextSearch = (where, text) => {
  const pattern = Array.from(searched(text), (character) => (isWild(character) ? `[${character}]` : cases(character)));
  return sql<boolean>`${where} glob ${`*${pattern.join('')}*`}`;
};

/** On Postgres the case of letters depends on the locale of the database; the pattern does not. */
export const postgresTextSearch: TextSearch = (where, text) => {
  const pattern = Array.from(searched(text), (character) =>
    /^[\x20-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]$/.test(character) ? `\\${character}` : cases(character),
  );
  return sql<boolean>`${where} ~ ${pattern.join('')}`;
};

function searched(text: string): string {
  if (text.length > longestText)
    throw new AssayError('USAGE', `The text to search for has ${text.length} characters; ${longestText} are allowed.`);
  return storable(text);
}

function isWild(character: string): boolean {
  return character === '*' || character === '?' || character === '[';
}

function cases(character: string): string {
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
  const isOneCharacter = [lower, upper].every((form) => Array.from(form).length === 1);
  return lower === upper || !isOneCharacter ? character : `[${lower}${upper}]`;
}
