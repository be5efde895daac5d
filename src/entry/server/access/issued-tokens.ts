import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import { findConfig } from '../../../compose/config/find-config.ts';
import { AssayError } from '../../../domain/errors.ts';
import { makeOwnFolder } from '../../../keep/store/open-store.ts';
import { parseJson } from '../../../shared/json.ts';
import { didYouMean } from '../../../shared/suggest.ts';
import { type Role, roleSchema, type SharedLinks, type SharedToken } from '../api/access.ts';
import type { Caller } from './caller.ts';

const issuedTokenSchema = z.strictObject({
  name: z.string().min(1),
  role: roleSchema,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  createdAt: z.string(),
  /** Absent: it does not expire. */
  expiresAt: z.iso.datetime().optional(),
});
/** A token as it is kept: by its digest, so the file gives no access. */
type IssuedToken = z.infer<typeof issuedTokenSchema>;

const sharedPrefix = 'shared-';
const dayMs = 86_400_000;
const mostTokens = 1_000;
const tokenFileSchema = z.strictObject({ tokens: z.array(issuedTokenSchema).max(mostTokens) });

/** Identifies a token. Tokens are random and long, so a plain digest cannot be reversed. */
export function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The tokens that were made for the server of a folder, in `.assay/serve-tokens.json`. */
export class IssuedTokens {
  readonly file: string;
  #created: Promise<unknown> = Promise.resolve();
  #current: { readonly stamp: string; readonly tokens: readonly IssuedToken[] } = { stamp: '', tokens: [] };

  constructor(folder: string) {
    const config = findConfig(folder);
    this.file = join(config === undefined ? resolve(folder) : dirname(config), '.assay', 'serve-tokens.json');
  }

  /** Read again whenever the file changes, so a deleted token ends at once; a file that is wrong gives no access. */
  find(token: string): Caller | undefined {
    return this.withDigest(tokenDigest(token));
  }

  withDigest(digest: string): Caller | undefined {
    const found = this.#tokens().find(({ sha256 }) => sha256 === digest);
    return found && !isPast(found.expiresAt) ? { role: found.role, tokenName: found.name } : undefined;
  }

  /** All of them; a file that is wrong is thrown. */
  list(): readonly IssuedToken[] {
    const text = readIfThere(this.file);
    if (text === undefined) return [];
    const parsed = tokenFileSchema.safeParse(parseJson(text));
    if (parsed.success) return parsed.data.tokens;
    throw new AssayError('FILE_INVALID', `${this.file} is not a list of tokens: ${parsed.error.issues[0]?.message}.`, {
      hint: 'Delete the file and create the tokens again.',
    });
  }

  /** Makes a token, which is returned here and never again. Of several at once, each waits for the one before. */
  create(name: string, role: Role, days?: number): Promise<string> {
    const made = this.#created.then(() => this.#create(name, role, days));
    this.#created = made.catch(() => undefined);
    return made;
  }

  async #create(name: string, role: Role, days: number | undefined): Promise<string> {
    assertName(name);
    const tokens = this.list();
    if (tokens.some((each) => each.name === name)) {
      throw new AssayError('USAGE', `There is already a token "${name}".`, {
        hint: `Choose another name, or delete it: \`assay token delete ${name}\`.`,
      });
    }
    if (tokens.length >= mostTokens) {
      throw new AssayError('USAGE', `There are already ${mostTokens} tokens.`, {
        hint: 'Delete some: `assay token list`, `assay token delete <name>`.',
      });
    }
    const token = `assay_${randomBytes(32).toString('base64url')}`;
    const createdAt = new Date().toISOString();
    const expiresAt = days === undefined ? {} : { expiresAt: new Date(Date.now() + days * dayMs).toISOString() };
    await this.#write([...tokens, { name, role, sha256: tokenDigest(token), createdAt, ...expiresAt }]);
    return token;
  }

  /** Makes a token that can only read, for a link that is given to others. */
  async share(days: number | undefined): Promise<SharedToken> {
    const name = `${sharedPrefix}${new Date().toISOString().slice(0, 10)}-${randomBytes(3).toString('hex')}`;
    const token = await this.create(name, 'reader', days);
    return { name, token, expiresAt: this.shared().find((one) => one.name === name)?.expiresAt ?? null };
  }

  /** The tokens of links that were given to others and have not expired, the newest first. */
  shared(): SharedLinks['items'] {
    return this.list()
      .filter(({ name, expiresAt }) => name.startsWith(sharedPrefix) && !isPast(expiresAt))
      .map(({ name, createdAt, expiresAt = null }) => ({ name, createdAt, expiresAt }))
      .toReversed();
  }

  /** Ends the access of a link; tokens that were made for something else stay. */
  async endShared(name: string): Promise<void> {
    if (name.startsWith(sharedPrefix)) return this.delete(name);
    throw new AssayError('NOT_FOUND', `There is no shared link "${name}".`, { hint: 'Load the page again.' });
  }

  async delete(name: string): Promise<void> {
    const tokens = this.list();
    const others = tokens.filter((each) => each.name !== name);
    if (others.length === tokens.length) {
      const hint = didYouMean(
        name,
        tokens.map((each) => each.name),
      );
      throw new AssayError('NOT_FOUND', `There is no token "${name}".`, {
        hint: hint ?? 'See `assay token list`.',
      });
    }
    await this.#write(others);
  }

  #tokens(): readonly IssuedToken[] {
    const stats = statSync(this.file, { throwIfNoEntry: false });
    const stamp = stats ? `${stats.mtimeMs}:${stats.size}:${stats.ino}` : '';
    if (stamp !== this.#current.stamp) this.#current = { stamp, tokens: this.#listOrNone() };
    return this.#current.tokens;
  }

  #listOrNone(): readonly IssuedToken[] {
    try {
      return this.list();
    } catch {
      return [];
    }
  }

  async #write(tokens: readonly IssuedToken[]): Promise<void> {
    makeOwnFolder(dirname(this.file));
    const temporary = `${this.file}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      await writeFile(temporary, `${JSON.stringify({ tokens }, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
      await rename(temporary, this.file);
    } finally {
      await rm(temporary, { force: true });
    }
  }
}

function isPast(time: string | undefined): boolean {
  return time !== undefined && Date.parse(time) <= Date.now();
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function assertName(name: string): void {
  if (/^[\w@][\w.@-]{0,99}$/.test(name)) return;
  throw new AssayError('USAGE', `Invalid token name "${name}".`, {
    hint: 'Use letters, digits, dots, dashes, underscores and @.',
  });
}
