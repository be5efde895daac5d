import { queryOptions } from '@tanstack/react-query';
import type {
  Activity,
  AddedTest,
  AddTest,
  AppDetail,
  DefinitionHistory,
  HandAnswer,
  HandCall,
  HandRequest,
  OpenSession,
  TestPlaces,
  WorkbenchSessionDetail,
  WorkbenchSessions,
} from '../../../src/entry/server/api/workbench.ts';
import { api } from './api.ts';

/** The open sessions with MCP servers. */
export function workbenchSessionsQuery() {
  return queryOptions({
    queryKey: ['workbench'],
    queryFn: ({ signal }) => api.get<WorkbenchSessions>('/mcp/sessions', {}, signal),
  });
}

/** One session: its server, and what that offers. */
export function workbenchSessionQuery(id: string) {
  return queryOptions({
    queryKey: ['workbench', id],
    queryFn: ({ signal }) => api.get<WorkbenchSessionDetail>(sessionAddress(id), {}, signal),
    retry: false,
  });
}

/** Files and suites that a call of a session can be added to. */
export function testPlacesQuery(id: string) {
  return queryOptions({
    queryKey: ['workbench', id, 'test-places'],
    queryFn: ({ signal }) => api.get<TestPlaces>(`${sessionAddress(id)}/test-places`, {}, signal),
    staleTime: 0,
  });
}

/** How the tools of a server changed over time. */
export function definitionHistoryQuery(label: string, session?: string) {
  return queryOptions({
    queryKey: ['mcp-definitions', label, session ?? ''],
    queryFn: ({ signal }) => api.get<DefinitionHistory>('/mcp/definitions', { label, session }, signal),
    staleTime: 0,
  });
}

const waitMs = 20_000;

/** Changes of a session after a point in its history; waits for one. */
export function readActivity(id: string, after: number, signal: AbortSignal): Promise<Activity> {
  return api.get<Activity>(`${sessionAddress(id)}/activity`, { after, waitMs: after === 0 ? 0 : waitMs }, signal);
}

export function openWorkbenchSession(wanted: OpenSession): Promise<WorkbenchSessionDetail> {
  return api.post<WorkbenchSessionDetail>('/mcp/sessions', wanted);
}

/** Begins a login, and gives the page that the user opens. */
export function beginLogin(id: string): Promise<WorkbenchSessionDetail> {
  return api.post<WorkbenchSessionDetail>(`${sessionAddress(id)}/login`);
}

/** Ends a login with the address that the browser ended at. */
export function pasteLogin(id: string, address: string): Promise<null> {
  return api.post<null>(`${sessionAddress(id)}/login/answer`, { address });
}

/** Lists again what the server offers. */
export function refreshSession(id: string): Promise<WorkbenchSessionDetail> {
  return api.post<WorkbenchSessionDetail>(`${sessionAddress(id)}/refresh`);
}

export function closeWorkbenchSession(id: string): Promise<null> {
  return api.delete<null>(sessionAddress(id));
}

export function sendRequest(id: string, request: HandRequest): Promise<HandCall> {
  return api.post<HandCall>(`${sessionAddress(id)}/calls`, request);
}

export function cancelCall(id: string, callId: string): Promise<null> {
  return api.post<null>(`${sessionAddress(id)}/calls/${callId}/cancel`);
}

export function answerRequest(id: string, requestId: string, answer: HandAnswer): Promise<null> {
  return api.post<null>(`${sessionAddress(id)}/requests/${requestId}/answer`, answer);
}

/** Reads a UI resource, to be shown in a frame. */
export function openApp(id: string, uri: string): Promise<AppDetail> {
  return api.post<AppDetail>(`${sessionAddress(id)}/apps`, { uri });
}

export function addTest(id: string, callId: string, test: AddTest): Promise<AddedTest> {
  return api.post<AddedTest>(`${sessionAddress(id)}/calls/${callId}/test`, test);
}

/** Where a session is found in the API. */
export function sessionAddress(id: string): string {
  return `/mcp/sessions/${encodeURIComponent(id)}`;
}
