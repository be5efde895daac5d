import { useMutation } from '@tanstack/react-query';
import { AppWindow } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { AppDetail, HandCall } from '../../../../../src/entry/server/api/workbench.ts';
import { apiUrl } from '../../../data/api.ts';
import { openApp, sendRequest, sessionAddress } from '../../../data/workbench.ts';
import { FoldedCode } from '../../../kit/code.tsx';
import { GuardedButton } from '../../../kit/guarded-button.tsx';
import { Card, ErrorView, Remark } from '../../../kit/page.tsx';
import { FactList } from '../../../kit/small-table.tsx';
import { type AppHost, type AppNote, answerApp } from './app-bridge.ts';

interface AppProps {
  readonly sessionId: string;
  readonly uri: string;
  readonly tool: Readonly<Record<string, unknown>>;
  readonly call: HandCall;
}

/** The UI resource of a tool, shown with the result of a call. */
export function AppCard({ sessionId, uri, tool, call }: AppProps) {
  const opening = useMutation({ mutationFn: () => openApp(sessionId, uri) });
  const { data: app, error } = opening;
  return (
    <Card
      icon={AppWindow}
      title={
        <>
          App
          <code className="font-mono text-xs font-normal break-all text-muted">{uri}</code>
        </>
      }
      actions={
        <GuardedButton needs="run" size="sm" isBusy={opening.isPending} onClick={() => opening.mutate()}>
          {app === undefined ? 'Show the app' : 'Load it again'}
        </GuardedButton>
      }
    >
      {error && <ErrorView error={error} />}
      {app === undefined && !error && (
        <p className="text-muted">
          The server has a page for results of this tool. It is shown in a frame without rights.
        </p>
      )}
      {app !== undefined && (
        <div className="flex flex-col gap-3">
          <AppFrame key={app.id} sessionId={sessionId} app={app} tool={tool} call={call} />
          <AppRights app={app} />
        </div>
      )}
    </Card>
  );
}

const mostNotes = 20;

/** A page of the server: it has no origin, and speaks to this page by messages only. */
function AppFrame({ sessionId, app, tool, call }: Omit<AppProps, 'uri'> & { readonly app: AppDetail }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(240);
  const [notes, setNotes] = useState<readonly AppNote[]>([]);
  useEffect(() => {
    const host: AppHost = {
      theme: document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light',
      tool,
      call,
      post: (message) => frame.current?.contentWindow?.postMessage(message, '*'),
      request: (method, params) => sendRequest(sessionId, { method, params, by: 'app', isAwaited: true }),
      resize: setHeight,
      note: (note) => setNotes((before) => [...before, note].slice(-mostNotes)),
    };
    const onMessage = ({ source, data }: MessageEvent): void => {
      if (source !== null && source === frame.current?.contentWindow) void answerApp(data, host);
    };
    window.addEventListener('message', onMessage);
    return () => window.removeEventListener('message', onMessage);
  }, [sessionId, tool, call]);
  return (
    <>
      <iframe
        ref={frame}
        title={`App ${app.uri}`}
        src={apiUrl(`${sessionAddress(sessionId)}/apps/${app.id}/page`)}
        sandbox="allow-scripts"
        referrerPolicy="no-referrer"
        style={{ height }}
        className="w-full rounded-md border border-line bg-white"
      />
      {notes.length > 0 && (
        <ul aria-label="Messages of the app" className="flex flex-col gap-1 text-xs">
          {notes.map((note, index) => (
            <li
              key={`${index + 1}`}
              className={note.kind === 'problem' ? 'break-all text-fail' : 'break-all text-muted'}
            >
              {note.kind === 'link' ? <AppLink href={note.text} /> : note.text}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Nothing opens by itself. */
function AppLink({ href }: { href: string }) {
  return (
    <>
      It wants to open{' '}
      <a href={href} target="_blank" rel="noopener noreferrer" className="text-accent underline">
        {href}
      </a>
    </>
  );
}

/** Everything that the frame may reach, and what the server wants beyond that. */
function AppRights({ app: { domains, permissions, problems, policy } }: { app: AppDetail }) {
  const list = (items: readonly string[]): string => items.join(', ') || 'none';
  return (
    <div className="flex flex-col gap-2">
      {problems.map((problem) => (
        <Remark key={problem} tone="warn">
          {problem}
        </Remark>
      ))}
      <FactList
        facts={[
          ['Connects to', list(domains.connectDomains)],
          ['Loads from', list(domains.resourceDomains)],
          ['Frames of', list(domains.frameDomains)],
          ['Permissions wanted, not granted', list(permissions)],
        ]}
      />
      <FoldedCode label="Content-Security-Policy of the frame" text={policy.replaceAll('; ', ';\n')} />
    </div>
  );
}
