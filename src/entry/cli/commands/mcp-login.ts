import { createInterface } from 'node:readline';
import { AssayError } from '../../../domain/errors.ts';
import { KeptLogins } from '../../../drive/mcp/authorization/kept-login.ts';
import { openKeyring } from '../../../drive/mcp/authorization/keyring.ts';
import { logOut } from '../../../drive/mcp/authorization/log-out.ts';
import { type Login, logIn } from '../../../drive/mcp/authorization/login.ts';
import type { OAuthSettings } from '../../../drive/mcp/authorization/oauth-settings.ts';
import { isHttpServer, type ServerDefinition, serverLabel } from '../../../drive/mcp/server-definition.ts';
import { WireError } from '../../../drive/mcp/wire/wire.ts';
import { expandVariables } from '../../../shared/variables.ts';
import type { CliCommand } from '../command.ts';
import { type CliContext, write } from '../context.ts';
import { openInBrowser } from '../open-in-browser.ts';
import { listOption, numberOption } from '../options/values.ts';
import { Interrupt } from '../process.ts';
import { readServerArgument } from './mcp-check/server-argument.ts';

interface LoginFlags {
  readonly scope?: readonly string[];
  readonly browser: boolean;
  readonly printToken?: boolean;
  readonly logout?: boolean;
  readonly timeoutSecs: number;
}

/** `assay mcp login`: logs in to an MCP server that requires OAuth, for the runs that follow. */
export const mcpLogin: CliCommand = {
  configure(command) {
    command
      .argument('<server>', 'a URL, a config or scenario file, or a JSON definition')
      .argument('[name]', 'which server of a scenario that has several in `mcp_servers`')
      .option(
        '--scope <scopes>',
        'request these scopes beside those of the login so far, separated by commas',
        listOption,
      )
      .option('--no-browser', 'print the address of the login page without opening it')
      .option('--print-token', 'print the refresh token instead of keeping the login in the keyring')
      .option('--logout', 'revoke the login and remove it from the keyring')
      .option('--timeout-secs <seconds>', 'how long to wait for the login', numberOption(1, 86_400), 300);
    command.addHelpText(
      'after',
      '\nExamples:\n  assay mcp login https://example.com/mcp\n  assay mcp login mcp.yaml --scope files:write\n  assay mcp login scenario.yaml files\n  assay mcp login https://example.com/mcp --logout\n\nLogins are kept in the keyring of the operating system and nowhere else.\n',
    );
  },
  async run({ args, options, context }) {
    const flags = options as unknown as LoginFlags;
    const [written, name] = args;
    const choice = { name, isRemote: true };
    const { definition } = await readServerArgument(written === undefined ? [] : [written], {}, context.cwd, choice);
    const server = protectedServer(definition, context.env);
    using interrupt = new Interrupt(() => undefined);
    try {
      const done = flags.logout
        ? await leave(server, context, interrupt.signal)
        : await enter(server, flags, context, interrupt.signal);
      await write(context.stdout, `${done}\n`);
      return 0;
    } catch (error) {
      if (interrupt.signal.aborted) return 130;
      if (!(error instanceof WireError)) throw error;
      const { code, what } = error.end;
      throw new AssayError(code, `The MCP server "${server.label}" ${what}.`);
    }
  },
};

interface NamedServer {
  readonly label: string;
  readonly url: URL;
  readonly settings: OAuthSettings | undefined;
}

function protectedServer(definition: ServerDefinition, env: CliContext['env']): NamedServer {
  if (!isHttpServer(definition))
    throw new AssayError('USAGE', 'A server that is started by a command has no login.', {
      hint: 'Set the credentials that it needs in its `env`.',
    });
  const address = expandVariables(definition.url, env);
  if (!URL.canParse(address)) throw new AssayError('USAGE', `"${address}" is not an address.`);
  return { label: serverLabel(definition), url: new URL(address), settings: definition.oauth };
}

async function enter(server: NamedServer, flags: LoginFlags, context: CliContext, signal: AbortSignal) {
  const { scope: scopes = [], timeoutSecs, printToken, browser } = flags;
  const { env, stdin, stderr } = context;
  const login = await logIn({
    ...server,
    env,
    scopes,
    signal,
    timeoutMs: timeoutSecs * 1_000,
    logins: printToken ? undefined : await keptLogins(env),
    show: (page) => {
      stderr.write(`Log in on this page:\n\n  ${page.href}\n\n`);
      stderr.write('If the browser runs on another machine, paste the address that it ends at here.\n');
      if (browser) void openInBrowser(page.href);
    },
    pasted: (ended) => firstLine(stdin, ended),
  });
  return printToken ? tokenOf(login) : loggedIn(server, login);
}

function tokenOf({ refreshToken, issuer }: Login): string {
  if (refreshToken !== undefined) return refreshToken;
  throw new AssayError('MCP_LOGIN_REQUIRED', `${issuer} issued no refresh token, so there is nothing to print.`, {
    hint: 'Use `grant: client-credentials`, or log in where there is a keyring.',
  });
}

function loggedIn({ label }: NamedServer, { issuer, scopes = [], refreshToken }: Login): string {
  const granted = scopes.length === 0 ? '' : ` with the scopes ${scopes.join(', ')}`;
  const renewal = refreshToken === undefined ? ' It cannot be renewed: log in again when it expires.' : '';
  return `Logged in to ${label} at ${issuer}${granted}. The login is kept in the keyring.${renewal}`;
}

async function leave({ label, url, settings }: NamedServer, { env }: CliContext, signal: AbortSignal): Promise<string> {
  const logins = await keptLogins(env);
  const { issuer, wasLoggedIn, isRevoked } = await logOut({ url, settings, env, logins, signal });
  if (!wasLoggedIn) return `There was no login to ${label}.`;
  const revoked = isRevoked
    ? `${issuer} revoked it.`
    : `${issuer} did not revoke it: its tokens work until they expire.`;
  return `The login to ${label} was removed from the keyring. ${revoked}`;
}

async function keptLogins(env: CliContext['env']): Promise<KeptLogins> {
  const { keyring, missing } = await openKeyring(env);
  if (keyring) return new KeptLogins(keyring);
  throw new AssayError('MCP_LOGIN_REQUIRED', `Logins cannot be kept here: no keyring can be used (${missing}).`, {
    hint: 'Use --print-token and put the token into the variable of `oauth.refreshTokenEnv`, or use `grant: client-credentials`.',
  });
}

/** A line that the user pastes; never one where the input has ended. */
function firstLine(input: NodeJS.ReadableStream, ended: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const lines = createInterface({ input });
    lines.on('line', (line) => {
      if (line.trim() !== '') resolve(line);
    });
    ended.addEventListener('abort', () => lines.close(), { once: true });
  });
}
