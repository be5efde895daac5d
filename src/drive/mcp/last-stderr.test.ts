import { expect, it } from 'vitest';
import { lastStderr } from './last-stderr.ts';

it.each([
  [
    'an error that nothing caught',
    `file:///project/server.mjs:1
throw new Error("no database at 5432");
      ^

Error: no database at 5432
    at file:///project/server.mjs:1:7
    at ModuleJob.run (node:internal/modules/esm/module_job:343:25)

Node.js v20.20.2
`,
    'Error: no database at 5432',
  ],
  [
    'a missing file',
    `node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module '/project/servr.mjs'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15) {
  code: 'MODULE_NOT_FOUND',
  requireStack: [
    '/project/a.js'
  ]
}

Node.js v20.20.2`,
    "Error: Cannot find module '/project/servr.mjs'",
  ],
  [
    'a log before it',
    'starting\nserver.js:3\n  boom()\n  ^\n\nReferenceError: boom',
    'starting | ReferenceError: boom',
  ],
  ['another language', 'Traceback:\n  code: 1\n}', 'Traceback: | code: 1 | }'],
])('of %s, what happened is left', (_, stderr, text) => {
  expect(lastStderr(stderr)).toBe(` Last lines of its stderr: ${text}`);
});

it('says nothing where nothing was printed', () => {
  expect([lastStderr(), lastStderr('\n \n')]).toEqual(['', '']);
});
