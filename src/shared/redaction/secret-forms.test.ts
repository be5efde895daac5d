import { expect, it } from 'vitest';
import { secretForms, secretValues } from './secret-forms.ts';

it('a secret may be written in JSON three levels deep, in HTML, Python, addresses, base64 and hex', () => {
  expect(secretForms('it\'s <a>&"ä/b')).toEqual([
    'it\'s <a>&"ä/b',
    'it\'s <a>&\\"ä/b',
    'it\'s <a>&\\\\\\"ä/b',
    'it\'s <a>&\\\\\\\\\\\\\\"ä/b',
    'it\'s <a>&\\"\\u00e4/b',
    'it\'s <a>&\\\\\\"\\\\u00e4/b',
    'it\'s <a>&\\\\\\\\\\\\\\"\\\\\\\\u00e4/b',
    'it\'s <a>&\\"ä\\/b',
    'it\'s <a>&\\\\\\"ä\\\\/b',
    'it\'s <a>&\\\\\\\\\\\\\\"ä\\\\\\\\/b',
    'it\'s \\u003ca\\u003e\\u0026\\"ä/b',
    'it\'s \\\\u003ca\\\\u003e\\\\u0026\\\\\\"ä/b',
    'it\'s \\\\\\\\u003ca\\\\\\\\u003e\\\\\\\\u0026\\\\\\\\\\\\\\"ä/b',
    'it\'s &lt;a&gt;&amp;"ä/b',
    "it's &lt;a&gt;&amp;&quot;ä/b",
    'it&#39;s &lt;a&gt;&amp;&quot;ä/b',
    'it&#x27;s &lt;a&gt;&amp;&quot;ä/b',
    'it&apos;s &lt;a&gt;&amp;&quot;ä/b',
    'it\\\'s <a>&"ä/b',
    'it\'s <a>&"\\xc3\\xa4/b',
    'it\\\'s <a>&"\\xc3\\xa4/b',
    "it's%20%3Ca%3E%26%22%C3%A4%2Fb",
    'it%27s%20%3Ca%3E%26%22%C3%A4%2Fb',
    'it%27s+%3Ca%3E%26%22%C3%A4%2Fb',
    "it's%20%3Ca%3E&%22%C3%A4/b",
    "it's%20%3ca%3e%26%22%c3%a4%2fb",
    'it%27s%20%3ca%3e%26%22%c3%a4%2fb',
    'it%27s+%3ca%3e%26%22%c3%a4%2fb',
    'aXQncyA8YT4mIsOkL2I=',
    'aXQncyA8YT4mIsOkL2',
    'l0J3MgPGE+JiLDpC9i',
    'l0J3MgPGE-JiLDpC9i',
    'pdCdzIDxhPiYiw6QvY',
    '69742773203c613e2622c3a42f62',
    '69742773203C613E2622C3A42F62',
  ]);
});

it('a secret counts without the white space around it, and so do its longer lines', () => {
  const text = ' first line of it\n  second-line-of-it-all\n  exactly-16-chars\n15-characters-x\nshort\n';
  expect(secretValues(text)).toEqual([text, text.trim(), 'second-line-of-it-all', 'exactly-16-chars']);
  expect([secretValues('seven-7'), secretValues('eight--8')]).toEqual([[], ['eight--8']]);
});
