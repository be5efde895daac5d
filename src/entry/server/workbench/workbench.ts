import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { Project } from '../../../compose/config/project.ts';
import { projectRedaction, serverSecrets } from '../../../compose/config/redaction.ts';
import { version } from '../../../compose/program.ts';
import { AssayError } from '../../../domain/errors.ts';
import type { Scenario } from '../../../domain/scenario.ts';
import { Authorizations } from '../../../drive/mcp/authorization/authorizations.ts';
import {
  isHttpServer,
  type ServerDefinition,
  serverDefinitionSchema,
  serverLabel,
} from '../../../drive/mcp/server-definition.ts';
import { isRecord } from '../../../shared/json.ts';
import type { Redact } from '../../../shared/redaction/redaction.ts';
import { redactPatterns } from '../../../shared/redaction/secret-patterns.ts';
import { wordsOf } from '../../../shared/shell-words.ts';
import { suggestion } from '../../../shared/suggest.ts';
import { expandVariables } from '../../../shared/variables.ts';
import type { OpenSession, WorkbenchSessions } from '../api/workbench.ts';
import { Refusal } from '../refusal.ts';
import type { SessionSettings } from './session-settings.ts';
import { WorkbenchSession } from './workbench-session.ts';

const mostSessions = 10;
const defaultTimeoutMs = 30_000;
/** A session whose page was closed ends after this time, so its server does not run for ever. */
const idleMs = 15 * 60_000;
const sweepMs = 30_000;

interface WorkbenchContext {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  project(): Promise<Project>;
  scenarios(): Promise<readonly Scenario[]>;
  /** The clock of the system unless another is given. */
  now?(): number;
}

/** The sessions with MCP servers that people of one project use by hand. */
export class Workbench implements AsyncDisposable {
  readonly #context: WorkbenchContext;
  readonly #sessions = new Map<string, WorkbenchSession>();
  #sweeping: NodeJS.Timeout | undefined;

  constructor(context: WorkbenchContext) {
    this.#context = context;
  }

  async open(wanted: OpenSession): Promise<WorkbenchSession> {
    const place = 'address' in wanted ? this.#typed(wanted) : await this.#named(wanted);
    const { env } = this.#context;
    const secrets = serverSecrets(place.definition).map((secret) => expandVariables(secret, env));
    const redactKnown = projectRedaction(await this.#context.project(), env, secrets);
    const authorizations = new Authorizations();
    const { definition } = place;
    const authorization = isHttpServer(definition) ? authorizations.to(definition, env) : undefined;
    const redact: Redact = (text) => redactKnown(authorization?.redact(text) ?? text);
    const id = randomBytes(9).toString('base64url');
    const label = redactPatterns(serverLabel(place.definition));
    // Nothing is waited for from here on, so requests that come together cannot open more.
    if (this.#sessions.size >= mostSessions) {
      throw new Refusal(409, 'TOO_MANY_SESSIONS', `${mostSessions} sessions are open already.`, {
        hint: 'Close one of them first.',
      });
    }
    const reach = { ...place, env, authorizations, clientVersion: version };
    const session = new WorkbenchSession({ ...reach, id, label, redact, now: () => this.#now() });
    this.#sessions.set(id, session);
    this.#sweeping ??= setInterval(() => void this.endIdle(), sweepMs).unref();
    return session;
  }

  find(id: string): WorkbenchSession {
    const session = this.#sessions.get(id);
    if (session) return session;
    throw new AssayError('NOT_FOUND', 'There is no such session: it was closed, or the server was started again.', {
      hint: 'Open a new session.',
    });
  }

  list(): WorkbenchSessions {
    const items = [...this.#sessions.values()].map(({ settings: { id, label, file = null }, openedAt, status }) => ({
      id,
      label,
      file,
      openedAt,
      status,
    }));
    return { items };
  }

  /** Files that name the server of a session, started in the same folder. */
  async filesWith({ settings }: WorkbenchSession): Promise<readonly string[]> {
    const places = (await this.#context.scenarios()).flatMap(placeOf);
    const same = places.filter((place) => serverKey(place) === serverKey(settings));
    return [...new Set(same.flatMap(({ file }) => file ?? []))];
  }

  async close(id: string): Promise<void> {
    const session = this.find(id);
    this.#sessions.delete(id);
    await session[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#sweeping);
    await Promise.all([...this.#sessions.keys()].map((id) => this.close(id)));
  }

  /** Ends the sessions whose pages were closed long ago. */
  async endIdle(): Promise<void> {
    const idle = [...this.#sessions].filter(([, { lastUsedAt }]) => this.#now() - lastUsedAt > idleMs);
    await Promise.all(idle.map(([id]) => this.close(id).catch(() => undefined)));
  }

  #now(): number {
    return this.#context.now?.() ?? Date.now();
  }

  async #named({ label, file }: { readonly label: string; readonly file?: string | undefined }): Promise<Place> {
    const places = (await this.#context.scenarios()).flatMap(placeOf);
    const found = places.find(
      (place) => redactPatterns(serverLabel(place.definition)) === label && (file === undefined || place.file === file),
    );
    if (found) return found;
    const labels = [...new Set(places.map(({ definition }) => redactPatterns(serverLabel(definition))))];
    const where = file === undefined ? 'a scenario file' : file;
    throw new AssayError('NOT_FOUND', `The server "${label}" is not named in ${where}.`, {
      hint: suggestion(label, labels),
    });
  }

  #typed({ address, transport }: Extract<OpenSession, { readonly address: string }>): Place {
    const isUrl = /^https?:\/\//i.test(address.trim());
    const [command = '', ...args] = isUrl ? [] : wordsOf(address, () => true);
    const written = isUrl ? { url: address.trim() } : { command, args };
    const parsed = serverDefinitionSchema().safeParse({ ...(transport && { transport }), ...written });
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new AssayError('USAGE', `"${address}" is not the address of a server: ${issue?.message}.`, {
        hint: 'Write a URL that begins with https:// or http://, or a command line such as: node server.mjs',
      });
    }
    return { definition: parsed.data, file: undefined, directory: this.#context.folder, timeoutMs: defaultTimeoutMs };
  }
}

type Place = Pick<SessionSettings, 'definition' | 'file' | 'directory' | 'timeoutMs'>;

function serverKey({ definition, directory }: Pick<Place, 'definition' | 'directory'>): string {
  const folder = definition.transport === 'stdio' ? resolve(directory, definition.cwd ?? '.') : '';
  return `${serverLabel(definition)}\n${folder}`;
}

/** The server that a scenario talks to. */
function placeOf({ target, file, directory }: Scenario): Place[] {
  const { server, timeoutMs } = isRecord(target.config) ? target.config : {};
  if (!isRecord(server) || !('transport' in server)) return [];
  return [
    {
      definition: server as unknown as ServerDefinition,
      file: file.replaceAll('\\', '/'),
      directory,
      timeoutMs: typeof timeoutMs === 'number' ? timeoutMs : defaultTimeoutMs,
    },
  ];
}
