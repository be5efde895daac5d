import { useSearch } from '@tanstack/react-router';
import { FileCog } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import type { Settings } from '../../../../src/entry/server/api/project.ts';
import { settingsQuery } from '../../data/project.ts';
import { Badge } from '../../kit/badge.tsx';
import { LinkButton } from '../../kit/button.tsx';
import { Card, Page, Skeleton } from '../../kit/page.tsx';
import { useRead } from '../../kit/use-read.tsx';
import { AgentsCard, PricesCard, ProvidersCard } from './settings-cards.tsx';

const ConfigEditor = lazy(() =>
  import('./config-editor.tsx').then(({ ConfigEditor: component }) => ({ default: component })),
);

/** The settings of the program: models and keys, prices, the judge, agents. */
export function SettingsPage() {
  const { tab } = useSearch({ from: '/settings' });
  const [data, instead] = useRead(settingsQuery(), 14);
  if (tab === 'config' && data !== undefined) {
    return (
      <Suspense fallback={<Skeleton lines={12} />}>
        <ConfigEditor settings={data} />
      </Suspense>
    );
  }
  const edit = data !== undefined && (
    <LinkButton icon={<FileCog size={14} aria-hidden />} to="/settings" search={{ tab: 'config' }}>
      {data.project.configFile === null
        ? 'Create a config file'
        : data.project.isConfigEditable
          ? 'Edit the config file'
          : 'Show the config file'}
    </LinkButton>
  );
  return (
    <Page title="Settings" subtitle="What Assay works with in this project" actions={edit}>
      {data ? <Overview settings={data} /> : instead}
    </Page>
  );
}

function Overview({ settings }: { settings: Settings }) {
  return (
    <>
      <div className="grid gap-4 lg:grid-cols-2">
        <Card title="Project">
          <Facts
            facts={[
              ['Folder', settings.project.folder],
              ['Config file', settings.project.configFile ?? 'none: the defaults apply'],
              ['Store', settings.store],
              ['Version', settings.assayVersion],
            ]}
          />
        </Card>
        <Card title="Judge">
          <Facts
            facts={[
              ['State', <JudgeState key="state" judge={settings.judge} />],
              ['Models', settings.judge.models.join(', ') || 'none named; set judge.model in the config'],
              ['Samples', settings.judge.samples === 1 ? 'once each' : `${settings.judge.samples} times each`],
            ]}
          />
        </Card>
      </div>
      <ProvidersCard providers={settings.providers} />
      <AgentsCard agents={settings.agents} />
      <PricesCard prices={settings.prices} />
    </>
  );
}

function JudgeState({ judge }: Pick<Settings, 'judge'>) {
  return judge.isEnabled ? <Badge tone="good">available</Badge> : <Badge tone="neutral">not available</Badge>;
}

function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
