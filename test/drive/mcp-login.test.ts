import { describe, expect, it } from 'vitest';
import { confidentialClient, publicClient } from '../../src/testing/fakes/oauth/authorization-server.ts';
import { type ProtectedServer, startProtectedServer } from '../../src/testing/fakes/oauth/protected-server.ts';
import { assay, type CommandResult } from '../../src/testing/support/assay.ts';
import { assayInProcess } from '../../src/testing/support/assay-in-process.ts';
import { filesWith, keyringHook, logIn, machineWithKeyring } from '../../src/testing/support/mcp-logins.ts';
import { trialsIn } from '../../src/testing/support/mcp-project.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

function suiteOf({ url }: ProtectedServer, name = 'files', oauth?: object): string {
  const tests = ['read', 'echo', 'write'].map((name) => ({ name, args: {} }));
  return JSON.stringify({ server: { url, ...(oauth && { oauth }) }, toolHealthSuites: [{ name, tests }] });
}

function statesOf(result: CommandResult): string[] {
  return trialsIn(result).flatMap(({ toolHealth }) => (toolHealth ?? []).map(({ state }) => state));
}

describe('assay mcp login', () => {
  it('lets runs use a server, with further scopes when they are needed, and leaves no token behind', async () => {
    const server = await startProtectedServer();
    const cwd = await temporaryFolder({ 'files.json': suiteOf(server) });
    const env = await machineWithKeyring();
    const run = () => assay(['run', 'files.json', '--json', '-o', 'report.html', '-o', 'report.md'], { cwd, env });
    const before = await run();
    expect(before.exitCode).toBe(3);
    expect(before.stdout).toContain('MCP_LOGIN_REQUIRED');
    expect(statesOf(before)).toEqual(['error', 'error', 'error']);

    const login = await logIn([server.url], cwd, env);
    expect(login.stdout).toContain(`Logged in to ${server.url} at ${server.issuer} with the scopes files:read`);
    expect(login.exitCode).toBe(0);
    const narrow = await run();
    expect(statesOf(narrow)).toEqual(['pass', 'pass', 'error']);
    expect(narrow.stdout).toContain('the token lacks scopes');

    server.authorization.expireAccess();
    const wider = await logIn(['files.json', '--scope', 'files:write'], cwd, env);
    server.authorization.expireAccess();
    const wide = await run();
    expect(statesOf(wide)).toEqual(['pass', 'pass', 'pass']);
    expect(wide.exitCode).toBe(0);
    const check = await assay(['mcp-check', server.url, '--json', '--call-all'], { cwd, env });
    expect(JSON.parse(check.stdout)).toMatchObject({ server: { name: 'files' } });

    const logout = await assay(['mcp-login', server.url, '--logout'], { cwd, env });
    expect(logout.stdout).toContain(`was removed from the keyring. ${server.issuer} revoked it.`);
    const after = await run();
    expect(statesOf(after)).toEqual(['error', 'error', 'error']);
    const { secrets } = server.authorization;
    expect(secrets.size).toBeGreaterThan(6);
    expect(await filesWith(cwd, secrets)).toEqual([]);
    const printed = [before, login, narrow, wider, wide, check, logout, after].map((one) => one.stdout + one.stderr);
    expect([...secrets].filter((secret) => printed.join('').includes(secret))).toEqual([]);
  });

  it('needs no keyring for credentials in the environment, and leaves none of them behind', async () => {
    const server = await startProtectedServer();
    const { issuer, url } = server;
    const refresh = server.authorization.loginOf(publicClient, url, ['files:read', 'files:write']);
    const cwd = await temporaryFolder({
      'user.json': suiteOf(server, 'user', { clientId: publicClient, refreshTokenEnv: 'FILES_LOGIN', issuer }),
      'client.json': suiteOf(server, 'client', {
        clientId: confidentialClient.id,
        clientSecretEnv: 'FILES_CLIENT',
        grant: 'client-credentials',
        issuer,
      }),
    });
    const env = { ASSAY_KEYRING: 'off', FILES_LOGIN: refresh, FILES_CLIENT: confidentialClient.secret };
    const result = await assay(['run', 'user.json', 'client.json', '--json', '--debug'], { cwd, env });
    expect(statesOf(result)).toEqual(Array(6).fill('pass'));
    expect(await filesWith(cwd, server.authorization.secrets)).toEqual([]);
    const printed = result.stdout + result.stderr;
    expect([...server.authorization.secrets].filter((secret) => printed.includes(secret))).toEqual([]);
  });

  it('prints a token for the environment where there is no keyring, and says so otherwise', async () => {
    const server = await startProtectedServer();
    const cwd = await temporaryFolder();
    const env = { NODE_OPTIONS: `--import ${keyringHook}`, FAKE_KEYRING_FILE: '' };
    const refused = await assay(['mcp-login', server.url], { cwd, env });
    expect(refused.stderr).toContain("no keyring can be used (Couldn't access platform storage: AccessDenied)");
    expect(refused.stderr).toContain('--print-token');
    expect(refused.exitCode).toBe(3);
    expect(server.authorization.authorizations).toEqual([]);
    const { stdout, exitCode } = await logIn(['--print-token', server.url], cwd, env);
    expect(exitCode).toBe(0);
    expect([...server.authorization.secrets]).toContain(stdout.trim());
  });

  it('explains what it cannot log in to', async () => {
    const files = { notes: { command: 'node' }, one: { url: 'http://127.0.0.1:9/mcp' } };
    const cwd = await temporaryFolder({
      'stdio.json': JSON.stringify({ server: { command: 'node' } }),
      'local.yaml': JSON.stringify({ mcp_servers: { notes: files.notes } }),
      'several.yaml': JSON.stringify({ mcp_servers: { ...files, two: files.one } }),
      'wrong.yaml': 'mcp_servers:\n  files:\n    url: http://127.0.0.1:9/mcp\n    oauth: { clientIt: x }\n',
    });
    const env = await machineWithKeyring();
    const told = async (...args: string[]) => (await assayInProcess(['mcp-login', ...args], { cwd, env })).stderr;
    expect(await told('local.yaml')).toContain('A server that is started by a command has no login.');
    expect(await told('several.yaml')).toMatch(
      /has several servers: one, two\.[\s\S]*assay mcp login several\.yaml one/,
    );
    expect(await told('several.yaml', 'tow')).toMatch(/has no server "tow"\.[\s\S]*`two`/);
    expect(await told('several.yaml', 'notes')).toContain('A server that is started by a command has no login.');
    expect(await told('wrong.yaml')).toContain('wrong.yaml:4:14: unknown key `clientIt`');
    expect(await told('http://127.0.0.1:9/mcp', 'one')).toContain('no `mcp_servers`');
    const stdio = await assay(['mcp-login', 'stdio.json'], { cwd, env });
    expect(stdio.stderr).toContain('A server that is started by a command has no login.');
    expect(stdio.exitCode).toBe(2);
    const open = await assay(['mcp-login', (await startProtectedServer({ noMetadata: true })).url], { cwd, env });
    expect(open.stderr).toContain('it names no authorization server, so there is nothing to log in to');
    const lying = await logIn([(await startProtectedServer({ otherIssuer: true })).url], cwd, env);
    expect(lying.stderr).toContain('is the metadata of "https://login.example.com"');
    expect([open.exitCode, lying.exitCode]).toEqual([3, 3]);
  });

  it('is not required where the server cannot be reached', async () => {
    const cwd = await temporaryFolder({
      'files.json': JSON.stringify({
        server: { url: 'http://127.0.0.1:9/mcp', oauth: {} },
        toolHealthSuites: [{ name: 'files', tests: [{ name: 'read', args: {} }] }],
      }),
    });
    const env = await machineWithKeyring();
    const run = await assayInProcess(['run', 'files.json'], { cwd, env });
    // The keyring of the test is found only by a program that is started.
    const login = await assay(['mcp-login', 'files.json'], { cwd, env });
    const unreachable = /The MCP server "http:\/\/127\.0\.0\.1:9\/mcp" cannot be reached: connect ECONNREFUSED/;
    expect(run.stdout).toMatch(unreachable);
    expect(run.stdout).toMatch(/0 of 1 test passed\n +! read test: read, not measured\n/);
    expect(login.stderr).toMatch(unreachable);
    expect(`${run.stdout}${login.stderr}`).not.toContain('requires authorization');
    expect([run.exitCode, login.exitCode]).toEqual([3, 3]);
  });
});
