import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandVariables, unsetVariables } from './variables.ts';

const env = { HOST: 'example', PORT: '80', EMPTY: '', ODD: '${HOST} $& $1' };

describe('expandVariables', () => {
  it('replaces variables in every text of a value, and nothing else', () => {
    const value = { url: 'http://${HOST}:${PORT}/', list: ['${HOST}', 1, null], '${HOST}': true };
    const expected = { url: 'http://example:80/', list: ['example', 1, null], '${HOST}': true };
    expect(expandVariables(value, env)).toEqual(expected);
  });

  it('leaves what is not set as it is, and takes an empty variable for one that is not set', () => {
    expect(expandVariables('${NONE} ${EMPTY} $HOST ${} {HOST}', env)).toBe('${NONE} ${EMPTY} $HOST ${} {HOST}');
  });

  it('puts a value in as it is, whatever it looks like', () => {
    expect(expandVariables('<${ODD}>', env)).toBe('<${HOST} $& $1>');
  });

  it('leaves values without placeholders alone', () => {
    fc.assert(
      fc.property(
        fc.jsonValue().filter((value) => !JSON.stringify(value).includes('${')),
        (value) => {
          expect(JSON.stringify(expandVariables(value, env))).toBe(JSON.stringify(value));
        },
      ),
      { seed: 9 },
    );
  });
});

describe('unsetVariables', () => {
  it('names what a text needs and does not get', () => {
    expect(unsetVariables('${HOST}:${NONE}/${EMPTY}/${OTHER}', env)).toEqual(['NONE', 'EMPTY', 'OTHER']);
    expect(unsetVariables('http://${HOST}', env)).toEqual([]);
  });
});
