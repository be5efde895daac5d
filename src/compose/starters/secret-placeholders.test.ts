import { describe, expect, it } from 'vitest';
import { SecretPlaceholders } from './secret-placeholders.ts';

const stdio = (...args: string[]) => ({ transport: 'stdio', command: 'node', args });

describe('secrets of a server in generated files', () => {
  it.each([
    [['server.mjs', '--token', 'hunter2hunter'], ['server.mjs', '--token', '${TOKEN}'], ['TOKEN']],
    [['--api-key=k3y-0f-mine', '-v'], ['--api-key=${API_KEY}', '-v'], ['API_KEY']],
    [['sk-abcdefghij0123456789ABCD'], ['${SECRET}'], ['SECRET']],
    [
      ['-c', 'PASSWORD=a1b2c3 server --secret zyx'],
      ['-c', 'PASSWORD=${PASSWORD} server --secret ${SECRET}'],
      ['PASSWORD', 'SECRET'],
    ],
    [
      ['-c', 'server -token \'a b\' TOKEN="c"'],
      ['-c', 'server -token "${TOKEN_2}" TOKEN="${TOKEN}"'],
      ['TOKEN', 'TOKEN_2'],
    ],
    [
      ['--token', 'one-1', '--token', 'two-2'],
      ['--token', '${TOKEN}', '--token', '${TOKEN_2}'],
      ['TOKEN', 'TOKEN_2'],
    ],
  ])('are variables: %j', (args, expected, names) => {
    const places = new SecretPlaceholders({});
    expect(places.server(stdio(...args))).toEqual(stdio(...expected));
    expect(places.variables).toEqual(names.map((name) => ({ name, isSet: false })));
  });

  it.each([
    [['server.mjs', '--port', '8080', '--token-file', '/run/token', '--auth', 'none', '--key', 'primary']],
    [['--token', '${TOKEN}', '--max-tokens=100']],
    [['--token', '--verbose']],
  ])('are not found where there is none: %j', (args) => {
    const places = new SecretPlaceholders({});
    expect(places.server(stdio(...args))).toEqual(stdio(...args));
    expect(places.variables).toEqual([]);
  });

  it('have the name of the variable that they come from, and never that of another value', () => {
    const places = new SecretPlaceholders({ ORDERS_TOKEN: 'plain-words-here', TOKEN: 'another value' });
    expect(places.server(stdio('--with=plain-words-here', '--token', 'x7'))).toEqual(
      stdio('--with=${ORDERS_TOKEN}', '--token', '${TOKEN_2}'),
    );
    expect(places.variables).toEqual([
      { name: 'ORDERS_TOKEN', isSet: true },
      { name: 'TOKEN_2', isSet: false },
    ]);
  });

  it('are found in addresses, headers and variables', () => {
    const places = new SecretPlaceholders({});
    expect(
      places.server({
        url: 'https://example.com/mcp?api_key=a1b2c3d4&page=2',
        headers: { Authorization: 'Bearer a1', accept: '*' },
      }),
    ).toEqual({
      url: 'https://example.com/mcp?api_key=${API_KEY}&page=2',
      headers: { Authorization: 'Bearer ${AUTHORIZATION}', accept: '*' },
    });
    expect(places.server({ command: 'x', env: { DB_PASSWORD: 'p', MODE: 'fast' } })).toEqual({
      command: 'x',
      env: { DB_PASSWORD: '${DB_PASSWORD}', MODE: 'fast' },
    });
  });
});
