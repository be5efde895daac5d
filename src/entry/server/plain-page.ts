import { randomBytes } from 'node:crypto';
import type { ApiError } from './api/paging.ts';
import { contentSecurityPolicy } from './security-headers.ts';

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; display: grid; place-items: center; min-height: 100vh; padding: 1rem; box-sizing: border-box;
  background: light-dark(#f7f7f8, #131316); color: light-dark(#18181b, #f0f0f2); }
main { width: 100%; max-width: 26rem; }
h1 { font-size: 1.25rem; margin: 0 0 1rem; }
label { display: block; font-weight: 600; margin: 1.25rem 0 .25rem; }
input, button { box-sizing: border-box; width: 100%; font: inherit; padding: .5rem .75rem; border-radius: .375rem; }
input { border: 1px solid light-dark(#71717a, #a1a1aa); background: light-dark(#fff, #1f1f23); color: inherit; }
button { margin-top: .75rem; border: 0; background: light-dark(#1d4ed8, #93c5fd); color: light-dark(#fff, #0b1220); font-weight: 600; }
:focus-visible { outline: 3px solid light-dark(#1d4ed8, #93c5fd); outline-offset: 2px; }
a { color: light-dark(#1d4ed8, #93c5fd); }
p { overflow-wrap: anywhere; }
`;

/** A page that needs no script: a refusal, and where a token is missing the form to log in with. */
export function plainPage(status: number, { error, hint, code }: ApiError, next: string): Response {
  const nonce = randomBytes(16).toString('base64');
  const advice = hint === undefined ? '' : `\n<p>${withCode(hint)}</p>`;
  const way = code === 'TOKEN_NEEDED' ? loginForm(next) : '<p><a href="/">All runs</a></p>';
  const text = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Assay</title>
<style nonce="${nonce}">${style}</style></head>
<body>
<main>
<h1>Assay</h1>
<p role="alert">${withCode(error)}</p>${advice}
${way}
</main>
</body>
</html>
`;
  return new Response(text, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy(nonce, "'self'"),
      // Without a referrer browsers send forms from an origin that has no name.
      'referrer-policy': 'same-origin',
    },
  });
}

function loginForm(next: string): string {
  return `<form method="post" action="/login">
<input type="hidden" name="next" value="${escaped(next)}">
<label for="token">Access token</label>
<input id="token" name="token" type="password" autocomplete="off" required autofocus>
<button>Log in</button>
</form>`;
}

/** Parts in backticks are code. */
function withCode(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
