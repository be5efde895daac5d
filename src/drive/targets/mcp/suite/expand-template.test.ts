import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandTemplate } from './resource-attempts.ts';

const values = {
  var: 'value',
  hello: 'Hello World!',
  path: '/foo/bar',
  half: '50%',
  x: 1024,
  y: 768,
  empty: '',
  list: ['red', 'green'],
  keys: { semi: ';', dot: '.' },
};

describe('a template of addresses', () => {
  it.each([
    ['{var}', 'value'],
    ['{hello}', 'Hello%20World%21'],
    ['{half}', '50%25'],
    ['{+hello}', 'Hello%20World!'],
    ['{+half}', '50%25'],
    ['{+path}/here', '/foo/bar/here'],
    ['here?ref={+path}', 'here?ref=/foo/bar'],
    ['X{#var}', 'X#value'],
    ['map?{x,y}', 'map?1024,768'],
    ['{x,hello,y}', '1024,Hello%20World%21,768'],
    ['X{.x,y}', 'X.1024.768'],
    ['{/var,x}/here', '/value/1024/here'],
    ['{;x,y}', ';x=1024;y=768'],
    ['{?x,y}', '?x=1024&y=768'],
    ['{?x,absent}', '?x=1024'],
    ['{?absent}', ''],
    ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
    ['{var:3}', 'val'],
    ['{list}', 'red,green'],
    ['{/list*}', '/red/green'],
    ['{?list*}', '?list=red&list=green'],
    ['{keys}', 'semi,%3B,dot,.'],
    ['{?keys*}', '?semi=%3B&dot=.'],
    ['a{empty}b', 'ab'],
    ['nothing to fill in', 'nothing to fill in'],
  ])('%s becomes %s', (template, uri) => {
    expect(expandTemplate(template, values)).toEqual({ uri });
  });

  it('reports which values are missing', () => {
    const problem = 'no value for the parameter "id", "toString" of the template';
    expect(expandTemplate('a/{id}/{toString}/{x}', values)).toEqual({ problem });
  });

  it('takes any text as a value, and gives it back when it is read', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const expansion = expandTemplate('note://{value}', { value });
        return 'uri' in expansion && decodeURIComponent(expansion.uri.slice('note://'.length)) === value;
      }),
      { seed: 7, numRuns: 300 },
    );
    expect(expandTemplate('{+v}', { v: '\uD800' })).toEqual({ uri: '%EF%BF%BD' });
  });
});
