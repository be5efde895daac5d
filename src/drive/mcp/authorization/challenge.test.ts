import { expect, it } from 'vitest';
import { bearerChallenge } from './challenge.ts';

it.each<[string | null, unknown]>([
  [null, undefined],
  ['', undefined],
  ['Basic realm="x"', undefined],
  ['Bearer', {}],
  ['bearer scope="a  b a"', { scopes: ['a', 'b'] }],
  ['Bearer realm="one, two", error=invalid_token', { error: 'invalid_token' }],
  ['Negotiate abc==, Bearer resource_metadata="https://a.b/c"', { resourceMetadata: 'https://a.b/c' }],
  [
    'Basic realm="x", charset="UTF-8", Bearer error="insufficient_scope", scope="w"',
    { error: 'insufficient_scope', scopes: ['w'] },
  ],
  ['Bearer error_description="say \\"no\\""', { errorDescription: 'say "no"' }],
  ['Bearer error="unterminated', {}],
  ['=,=,=', undefined],
])('reads %j', (header, expected) => {
  const challenge = bearerChallenge(header);
  expect(challenge && JSON.parse(JSON.stringify(challenge))).toEqual(expected);
});
