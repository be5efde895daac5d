import { AssayError, asAssayError } from '../../../domain/errors.ts';
import { KeptLogins } from '../../../drive/mcp/authorization/kept-login.ts';
import { openKeyring } from '../../../drive/mcp/authorization/keyring.ts';
import { logIn } from '../../../drive/mcp/authorization/login.ts';
import { isHttpServer } from '../../../drive/mcp/server-definition.ts';
import { WireError } from '../../../drive/mcp/wire/wire.ts';
import { expandVariables } from '../../../shared/variables.ts';
import type { WorkbenchSessionDetail } from '../api/workbench.ts';
import type { SessionSettings } from './session-settings.ts';

/** People look for their password. */
const timeoutMs = 600_000;

export type LoginProgress = Pick<WorkbenchSessionDetail['login'], 'page' | 'message'> & {
  readonly state: 'waiting' | 'failed' | 'logged-in';
};

/** A login of a user at the authorization server of a session's server, in the browser of the user. */
export class SessionLogin {
  #progress: LoginProgress = { state: 'waiting', page: null, message: null };
  #paste: (address: string) => void = () => undefined;
  /** Settles when there is a page to show, or none will come. */
  readonly begun: Promise<void>;
  /** Whether the user is logged in. */
  readonly ended: Promise<boolean>;

  constructor(settings: SessionSettings, signal: AbortSignal, onChange: () => void) {
    let show: (page: URL) => void = () => undefined;
    const hasPage = new Promise<void>((resolve) => {
      show = (page) => {
        this.#change({ state: 'waiting', page: page.href, message: null }, onChange);
        resolve();
      };
    });
    const pasted = new Promise<string>((resolve) => {
      this.#paste = resolve;
    });
    this.ended = logInTo(settings, { signal, show: (page) => show(page), pasted: () => pasted }).then(
      (message) => {
        this.#change({ state: 'logged-in', page: null, message }, onChange);
        return true;
      },
      (error: unknown) => {
        this.#change({ state: 'failed', page: null, message: messageOf(error, settings) }, onChange);
        return false;
      },
    );
    this.begun = Promise.race([hasPage, this.ended.then(() => undefined)]);
  }

  get progress(): LoginProgress {
    return this.#progress;
  }

  /** The address that a browser on another machine ended at. */
  paste(address: string): void {
    this.#paste(address);
  }

  #change(progress: LoginProgress, onChange: () => void): void {
    this.#progress = progress;
    onChange();
  }
}

interface Browser {
  readonly signal: AbortSignal;
  show(page: URL): void;
  pasted(): Promise<string>;
}

/** The issuer and the scopes, in words. */
async function logInTo({ definition, env }: SessionSettings, browser: Browser): Promise<string> {
  if (!isHttpServer(definition)) throw new AssayError('USAGE', 'A server that is started by a command has no login.');
  const { keyring, missing } = await openKeyring(env);
  if (!keyring)
    throw new AssayError('MCP_LOGIN_REQUIRED', `Logins cannot be kept here: no keyring can be used (${missing}).`);
  const { issuer, scopes = [] } = await logIn({
    url: new URL(expandVariables(definition.url, env)),
    settings: definition.oauth,
    env,
    scopes: [],
    logins: new KeptLogins(keyring),
    timeoutMs,
    ...browser,
  });
  return `Logged in at ${issuer}${scopes.length === 0 ? '' : ` with the scopes ${scopes.join(', ')}`}.`;
}

function messageOf(error: unknown, { label, redact }: SessionSettings): string {
  if (error instanceof WireError) return redact(`The MCP server "${label}" ${error.end.what}.`);
  return redact(asAssayError(error).message);
}
