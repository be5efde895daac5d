import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Wrench } from 'lucide-react';
import { counted } from '../../../../src/shared/format.ts';
import { mcpServersQuery } from '../../data/system.ts';
import { Card } from '../../kit/card.tsx';
import { CommandLine } from '../../kit/command-line.tsx';
import { EmptyState } from '../../kit/empty-state.tsx';
import { ErrorView } from '../../kit/error-view.tsx';
import { Page } from '../../kit/page.tsx';
import { SearchInput } from '../../kit/search-input.tsx';
import { Skeleton } from '../../kit/skeleton.tsx';
import { foundServers } from './found-servers.ts';
import { ServerCard } from './server-card.tsx';

/** MCP servers: their tools, whether these are as they were, how healthy they are and how much of them is tested. */
export function McpPage() {
  const { text = '' } = useSearch({ from: '/mcp' });
  const navigate = useNavigate({ from: '/mcp' });
  const { data, error, refetch } = useQuery(mcpServersQuery());
  const found = foundServers(data?.servers ?? [], text);
  return (
    <Page
      title="MCP"
      subtitle={
        data && data.servers.length > 0
          ? `As the last ${counted(data.runsLookedAt, 'run')} saw them`
          : 'Servers and their tools'
      }
    >
      {error && data === undefined && <ErrorView error={error} onRetry={() => void refetch()} />}
      {!error && data === undefined && (
        <Card>
          <Skeleton lines={10} />
        </Card>
      )}
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
      {data && data.servers.length > 0 && found.length === 0 && (
        <Card>
          <EmptyState title="No server or tool has that in its name" />
        </Card>
      )}
      {found.map((server) => (
        <ServerCard key={server.label} server={server} />
      ))}
    </Page>
  );
}

function NoServers() {
  return (
    <Card>
      <EmptyState icon={<Wrench size={22} />} title="No MCP server yet">
        <p className="mb-2">Check one without a model; what scenarios and agents talk to appears here by itself.</p>
        <CommandLine command="assay mcp-check -- node server.mjs" />
      </EmptyState>
    </Card>
  );
}
