import { useNavigate, useSearch } from '@tanstack/react-router';
import { Wrench } from 'lucide-react';
import type { McpServers } from '../../../../src/entry/server/api/system.ts';
import { counted, grouped } from '../../../../src/shared/format.ts';
import { mcpServersQuery } from '../../data/queries.ts';
import { Badge, type Tone } from '../../kit/badge.tsx';
import { CommandLine, Mono } from '../../kit/code.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Count, Duration, When } from '../../kit/figures.tsx';
import { Card, EmptyCard, Page } from '../../kit/page.tsx';
import { FactList, type SmallColumn, SmallTable } from '../../kit/small-table.tsx';
import { SearchInput } from '../../kit/text-input.tsx';
import { RunIdLink } from '../../kit/trial-link.tsx';
import { useRead } from '../../kit/use-read.tsx';
import { DefinitionHistoryView } from './definition-history.tsx';
import { ConnectButton, ConnectToButton, OpenSessions } from './workbench/connect.tsx';

export type McpServer = McpServers['servers'][number];

/** The servers that have a text in their name, whole; of others the tools that have it. */
export function foundServers(servers: readonly McpServer[], text: string): readonly McpServer[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return servers;
  return servers.flatMap((server) => {
    const names = [server.label, server.name ?? '', server.file ?? ''];
    if (names.some((name) => name.toLowerCase().includes(wanted))) return [server];
    const tools = server.tools.filter(({ name }) => name.toLowerCase().includes(wanted));
    return tools.length > 0 ? [{ ...server, tools }] : [];
  });
}

type Tool = McpServer['tools'][number];

/** One server with its tools. */
function ServerCard({ server }: { server: McpServer }) {
  const { label, name, version, tools, coverage } = server;
  const shownName = [name, version].filter((part) => part !== null && part !== '').join(' ');
  return (
    <Card
      title={label}
      actions={
        <>
          <HealthBadge server={server} />
          {server.connectFile !== null && <ConnectButton label={label} file={server.connectFile} />}
        </>
      }
      isFlush
    >
      <div className="border-b border-line p-4">
        <FactList
          facts={[
            shownName === '' ? null : ['Says it is', shownName],
            server.transport === null ? null : ['Transport', server.transport],
            server.protocolVersion === null ? null : ['Protocol', server.protocolVersion],
            tools.length === 0 ? null : ['Tested', `${grouped(coverage.tested)} of ${counted(coverage.tools, 'tool')}`],
            server.lastSeenAt === null
              ? null
              : ['Seen', <LastSeen key="seen" server={server} at={server.lastSeenAt} />],
            server.file === null ? null : ['Named in', <Mono key="file">{server.file}</Mono>],
          ]}
        />
      </div>
      {tools.length === 0 ? (
        <p className="p-4 text-muted">
          {server.lastSeenAt === null
            ? 'No stored run has talked to it yet.'
            : 'Its tools are not known: it was not listed in the stored runs.'}
        </p>
      ) : (
        <>
          <ToolTable server={server} />
          <div className="border-t border-line px-4 py-2">
            <Disclosure summary={<span className="text-sm">Definition history</span>}>
              <DefinitionHistoryView label={label} />
            </Disclosure>
          </div>
        </>
      )}
    </Card>
  );
}

function LastSeen({ server: { lastRunId }, at }: { server: McpServer; at: number }) {
  if (lastRunId === null) return <When at={at} />;
  return (
    <RunIdLink runId={lastRunId}>
      <When at={at} />
    </RunIdLink>
  );
}

function HealthBadge({ server: { health } }: { server: McpServer }) {
  const { passed, failed, error } = health;
  const all = passed + failed + error;
  if (all === 0) return <Badge tone="neutral">not tested</Badge>;
  if (failed + error === 0) return <Badge tone="good">{counted(all, 'test')} passed</Badge>;
  const parts = [failed > 0 && `${grouped(failed)} failed`, error > 0 && `${grouped(error)} not judged`];
  return (
    <Badge tone={failed > 0 ? 'bad' : 'warn'}>
      {parts.filter(Boolean).join(', ')} of {counted(all, 'test')}
    </Badge>
  );
}

function ToolTable({ server: { label, tools } }: { server: McpServer }) {
  return (
    <SmallTable
      label={`Tools of ${label}`}
      columns={toolColumns}
      rows={tools}
      isProblem={({ tests, testsPassed }) => testsPassed < tests}
    />
  );
}

const toolColumns: readonly SmallColumn<Tool>[] = [
  {
    header: 'Tool',
    cell: ({ name, description }) => (
      <>
        <Mono>{name}</Mono>
        {description !== null && <span className="block text-xs text-muted">{description}</span>}
      </>
    ),
  },
  { header: 'Definition', isNarrow: true, cell: (tool) => <Pin tool={tool} /> },
  {
    header: 'Tests',
    isFigure: true,
    cell: ({ tests, testsPassed }) => (tests === 0 ? 'none' : `${grouped(testsPassed)} of ${grouped(tests)}`),
  },
  { header: 'Calls', isFigure: true, cell: ({ calls }) => <Count value={calls} /> },
  {
    header: 'Errors',
    isFigure: true,
    cell: ({ errors, expectedErrors }) => (
      <>
        <span className={errors > 0 ? 'text-fail' : ''}>
          <Count value={errors} />
        </span>
        {expectedErrors > 0 && (
          <span className="block text-xs text-muted" title="Calls that a test expected to be refused, and that were">
            + {grouped(expectedErrors)} expected
          </span>
        )}
      </>
    ),
  },
  { header: 'Median', isFigure: true, cell: ({ medianMs }) => <Duration ms={medianMs} /> },
];

const pins: Readonly<Record<Tool['pin'], { readonly tone: Tone; readonly text: string; readonly why: string }>> = {
  same: { tone: 'good', text: 'same', why: 'as in the run before' },
  changed: { tone: 'warn', text: 'changed', why: 'not as in the run before' },
  new: { tone: 'info', text: 'new', why: 'was not there in the run before' },
  gone: { tone: 'bad', text: 'gone', why: 'was there in the run before' },
  unpinned: { tone: 'neutral', text: 'first seen', why: 'there is no earlier run to compare with' },
};

function Pin({ tool: { pin, sha256 } }: { tool: Tool }) {
  const { tone, text, why } = pins[pin];
  return (
    <span className="flex items-center gap-2" title={`${why}; SHA-256 ${sha256}`}>
      <Badge tone={tone}>{text}</Badge>
      <code className="font-mono text-2xs text-muted">{sha256.slice(0, 8)}</code>
    </span>
  );
}

/** MCP servers: their tools, whether these are as they were, how healthy they are and how much of them is tested. */
export function McpPage() {
  const { text = '' } = useSearch({ from: '/mcp' });
  const navigate = useNavigate({ from: '/mcp' });
  const [data, instead] = useRead(mcpServersQuery(), 10);
  const found = foundServers(data?.servers ?? [], text);
  return (
    <Page title="MCP" subtitle={seenText(data)} actions={<ConnectToButton />}>
      <OpenSessions />
      {instead}
      {data?.servers.length === 0 && <NoServers />}
      {data && data.servers.length > 0 && (
        <SearchInput
          value={text}
          placeholder="Server or tool"
          label="Search servers and tools"
          onChange={(wanted) =>
            void navigate({
              search: (known) => ({ ...known, text: wanted || undefined }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      )}
      {data && data.servers.length > 0 && found.length === 0 && <EmptyCard title={'No server or tool matches'} />}
      {found.map((server) => (
        <ServerCard key={server.label} server={server} />
      ))}
    </Page>
  );
}

function seenText(data: McpServers | undefined): string {
  if (!data?.servers.some(({ lastSeenAt }) => lastSeenAt !== null)) return 'Servers and their tools';
  return data.runsLookedAt === 1
    ? 'As the newest run saw them'
    : `As the last ${counted(data.runsLookedAt, 'run')} saw them`;
}

function NoServers() {
  return (
    <EmptyCard icon={<Wrench size={22} />} title="No MCP server yet">
      <p className="mb-2">Check one without a model. Servers of scenarios and agents appear here after a run.</p>
      <CommandLine command="assay mcp check -- node server.mjs" />
    </EmptyCard>
  );
}
