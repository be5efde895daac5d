import * as z from 'zod';
import { redactDeep } from '../../../shared/redaction/redaction.ts';
import { requireRole } from '../access/caller.ts';
import {
  activityQuery,
  activitySchema,
  addedTestSchema,
  addTestSchema,
  appDetailSchema,
  definitionHistoryQuery,
  definitionHistorySchema,
  handAnswerSchema,
  handCallSchema,
  handRequestSchema,
  loginAnswerSchema,
  openAppSchema,
  openSessionSchema,
  testPlacesSchema,
  workbenchSessionSchema,
  workbenchSessionsSchema,
} from '../api/workbench.ts';
import { currentSnapshot, definitionHistory } from '../catalog/definition-history.ts';
import { route, tagged } from '../route.ts';
import { addTest, testPlaces } from '../workbench/add-test.ts';
import { appResponse } from '../workbench/app-page.ts';

/** MCP servers used by hand. */
export const workbenchRoutes = tagged('mcp', [
  // Sessions with MCP servers: opened, looked at and closed.
  route('GET /api/mcp/sessions', 'reader', {
    summary: 'The open sessions with MCP servers.',
    answer: workbenchSessionsSchema,
    handle: async (_request, { workbench }) => workbench.list(),
  }),
  route('POST /api/mcp/sessions', 'runner', {
    status: 201,
    summary: 'Starts or connects to an MCP server; whether that succeeds is seen in the activity of the session.',
    body: openSessionSchema,
    answer: workbenchSessionSchema,
    async handle({ body, caller }, { workbench }) {
      // An editor may start any program already, by writing a scenario.
      if ('address' in body) requireRole(caller, 'editor');
      return (await workbench.open(body)).detail();
    },
  }),
  route('GET /api/mcp/sessions/{session}', 'reader', {
    summary: 'A session: the server, and the tools, prompts and resources that it offers.',
    answer: workbenchSessionSchema,
    handle: async ({ params }, { workbench }) => workbench.find(params.session).detail(),
  }),
  route('DELETE /api/mcp/sessions/{session}', 'runner', {
    summary: 'Closes a session and ends its server.',
    answer: z.null(),
    async handle({ params }, { workbench }) {
      await workbench.close(params.session);
      return null;
    },
  }),
  route('POST /api/mcp/sessions/{session}/refresh', 'runner', {
    summary: 'Lists again what the server offers.',
    answer: workbenchSessionSchema,
    async handle({ params }, { workbench }) {
      const session = workbench.find(params.session);
      await session.refresh();
      return session.detail();
    },
  }),
  route('GET /api/mcp/sessions/{session}/activity', 'reader', {
    summary:
      'Calls, requests of the server and frames since a point in the history; waits for a change if there is none.',
    query: activityQuery,
    answer: activitySchema,
    handle: ({ params, query, raw }, { workbench }) =>
      workbench.find(params.session).changes(query.after, query.waitMs, raw.signal),
  }),
  // Logins to servers that require OAuth.
  route('POST /api/mcp/sessions/{session}/login', 'editor', {
    summary: 'Begins a login to the server; the answer has the page that the user opens. It is kept in the keyring.',
    answer: workbenchSessionSchema,
    async handle({ params }, { workbench }) {
      const session = workbench.find(params.session);
      await session.logIn();
      return session.detail();
    },
  }),
  route('POST /api/mcp/sessions/{session}/login/answer', 'editor', {
    summary: 'Ends a login with the address that a browser on another machine ended at.',
    body: loginAnswerSchema,
    answer: z.null(),
    async handle({ params, body }, { workbench }) {
      workbench.find(params.session).pasteLogin(body.address);
      return null;
    },
  }),
  // Requests by hand, in both directions, and tests made of them.
  route('POST /api/mcp/sessions/{session}/calls', 'runner', {
    status: 201,
    summary: 'Sends a request to the server; unless it is awaited, the answer is in the activity of the session.',
    body: handRequestSchema,
    answer: handCallSchema,
    async handle({ params, body }, { workbench }) {
      const { call, ended } = workbench.find(params.session).send(body);
      return body.isAwaited ? ended : call;
    },
  }),
  route('POST /api/mcp/sessions/{session}/calls/{call}/cancel', 'runner', {
    summary: 'Cancels a request that is not answered yet.',
    answer: z.null(),
    async handle({ params }, { workbench }) {
      workbench.find(params.session).cancel(params.call);
      return null;
    },
  }),
  route('POST /api/mcp/sessions/{session}/requests/{request}/answer', 'runner', {
    summary: 'Answers a request of the server, such as for sampling or elicitation.',
    body: handAnswerSchema,
    answer: z.null(),
    async handle({ params, body }, { workbench }) {
      workbench.find(params.session).answer(params.request, body);
      return null;
    },
  }),
  route('GET /api/mcp/sessions/{session}/test-places', 'reader', {
    summary: 'Files and suites that a call of the session can be added to as a test.',
    answer: testPlacesSchema,
    handle: ({ params }, { workbench, suiteFiles }) => testPlaces(workbench.find(params.session), suiteFiles),
  }),
  route('POST /api/mcp/sessions/{session}/calls/{call}/test', 'editor', {
    status: 201,
    summary: 'Adds a call with its answer to a suite, as a test.',
    body: addTestSchema,
    answer: addedTestSchema,
    handle: ({ params, body }, { workbench, suiteFiles }) =>
      addTest(workbench.find(params.session), params.call, body, suiteFiles),
  }),
  // Definitions of tools over time.
  route('GET /api/mcp/definitions', 'reader', {
    summary: 'How the definitions of the tools of a server changed between the stored runs, and in an open session.',
    query: definitionHistoryQuery,
    answer: definitionHistorySchema,
    async handle({ query: { label, session } }, { workbench, projectCache }) {
      const open = session === undefined ? undefined : workbench.find(session);
      const current = open && currentSnapshot(open.listedTools, open.openedAt);
      const { servers } = await projectCache.mcpHistory.read();
      const history = definitionHistory(label, servers.get(label) ?? [], current);
      return open ? redactDeep(history, open.settings.redact) : history;
    },
  }),
  // UI resources of servers.
  route('POST /api/mcp/sessions/{session}/apps', 'runner', {
    status: 201,
    summary: 'Reads a UI resource of the server; its page can then be shown in a frame.',
    body: openAppSchema,
    answer: appDetailSchema,
    handle: ({ params, body, raw }, { workbench }) => workbench.find(params.session).openApp(body.uri, raw.signal),
  }),
  route('GET /api/mcp/sessions/{session}/apps/{app}/page', 'reader', {
    summary: 'The page of a UI resource, in a sandbox and with the policy that it declares.',
    answer: { mediaTypes: ['text/html'], description: 'a page of the server, which reaches only what it declares' },
    handle: async ({ params }, { workbench }) => appResponse(workbench.find(params.session).app(params.app)),
  }),
]);
