import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder, writeFiles } from './temporary-folder.ts';

const usualAgent = fileURLToPath(new URL('./mcp-agent.mjs', import.meta.url));

/** A page with a field, a button that asks before it cancels, a hidden element, and a link to another tab. */
const site = `import { createServer } from 'node:http';
let status = 'open';
const page = () => \`<!doctype html><title>Orders</title><h1>Orders</h1>
<p id="order">W1: \${status}</p><p hidden class="note">secret note</p>
<button onclick="if (confirm('Really?')) fetch('/cancel', { method: 'POST' }).then(() => location.reload())">Cancel</button>
<form action="/found"><input name="q" placeholder="Search"></form><a href="/other" target="_blank">Other</a>
<script>localStorage.setItem('seen', 'yes')</script>\`;
createServer((request, response) => {
  if (request.url === '/cancel') status = 'cancelled';
  if (request.url === '/end') process.exit(3);
  response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'visitor=7; HttpOnly' });
  response.end(page());
}).listen(process.env.PORT, '127.0.0.1');
`;

interface BrowserProject {
  /** Lines of `mcp-agent.mjs`. */
  readonly steps: readonly string[];
  /** Configs of `page`. */
  readonly pages: readonly object[];
  /** More of the scenario. */
  readonly more?: object;
  /** Code of the agent, instead of `mcp-agent.mjs`. */
  readonly agent?: string;
}

/** A project whose agent uses the page of a site that every trial starts. */
export async function browserProject({ steps, pages, more, agent }: BrowserProject): Promise<string> {
  const scenario = {
    name: 'Orders',
    browser: { site: 'node site.mjs' },
    task: steps.join('\n') || 'Look.',
    evaluators: pages.map((config) => ({ type: 'page', config })),
    ...more,
  };
  const folder = await temporaryFolder({
    'site.mjs': site,
    'orders.json': JSON.stringify(scenario),
    ...(agent !== undefined && { 'agent.mjs': agent }),
  });
  const program = agent === undefined ? usualAgent : join(folder, 'agent.mjs');
  const mine = { kind: 'command', command: `node ${program}` };
  await writeFiles(folder, { 'assay.config.json': JSON.stringify({ agent: 'mine', agents: { mine } }) });
  return folder;
}
