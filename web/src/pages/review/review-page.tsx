import { useNavigate, useSearch } from '@tanstack/react-router';
import { ClipboardCheck } from 'lucide-react';
import { useId, useState } from 'react';
import { reviewQueueQuery } from '../../data/queries.ts';
import { Button, LinkButton } from '../../kit/button.tsx';
import { CommandLine } from '../../kit/code.tsx';
import { Tabs } from '../../kit/disclosure.tsx';
import { TextInput } from '../../kit/field.tsx';
import { EmptyCard, Page } from '../../kit/page.tsx';
import { useRead } from '../../kit/use-read.tsx';
import { AgreementView } from './agreement-view.tsx';
import { shownItem } from './labelling.ts';
import { TrialReview } from './review-trial.tsx';

const tabs = [
  { key: 'label', label: 'Label' },
  { key: 'agreement', label: 'Agreement' },
] as const;

/** Raters label judged trials without seeing the verdict; then both are compared. */
export function ReviewPage() {
  const search = useSearch({ from: '/review' });
  const navigate = useNavigate({ from: '/review' });
  const change = (part: Partial<typeof search>): void =>
    void navigate({ search: (known) => ({ ...known, ...part }), replace: true, resetScroll: false });
  const tab = search.tab === 'agreement' ? 'agreement' : 'label';
  return (
    <Page
      title="Review"
      subtitle={
        search.run === undefined
          ? 'Label trials that a judge decided, without seeing its verdict'
          : 'The judged trials of one run'
      }
      actions={
        <>
          {search.run !== undefined && (
            <Button onClick={() => change({ run: undefined, trial: undefined })}>All recent runs</Button>
          )}
          <RaterInput
            key={search.rater ?? ''}
            rater={search.rater ?? ''}
            onChange={(rater) => change({ rater: rater || undefined, trial: undefined })}
          />
        </>
      }
    >
      <Tabs
        tabs={tabs}
        value={tab}
        label="Parts of the review"
        onChange={(key) => change({ tab: key === 'label' ? undefined : key })}
      >
        {tab === 'agreement' ? <AgreementView /> : <LabelTab />}
      </Tabs>
    </Page>
  );
}

function RaterInput({ rater, onChange }: { rater: string; onChange: (rater: string) => void }) {
  const id = useId();
  const [name, setName] = useState(rater);
  const submit = (): void => {
    if (name.trim() !== rater) onChange(name.trim());
  };
  return (
    <div className="flex items-center gap-2 text-sm">
      <label htmlFor={id} className="text-muted">
        Rater
      </label>
      <TextInput
        id={id}
        value={name}
        maxLength={100}
        placeholder="your name"
        className="w-36!"
        onChange={setName}
        onBlur={submit}
        onKeyDown={({ key }) => key === 'Enter' && submit()}
      />
    </div>
  );
}

function LabelTab() {
  const { rater = '', run = '', trial } = useSearch({ from: '/review' });
  const [data, instead] = useRead(reviewQueueQuery(rater, run), 10);
  if (!data) return instead;
  const item = shownItem(data.items, trial);
  if (item === undefined) return <NothingJudged />;
  return <TrialReview key={`${rater} ${run}`} queue={data} item={item} rater={rater} run={run} />;
}

function NothingJudged() {
  return (
    <EmptyCard
      icon={<ClipboardCheck size={22} />}
      title="No judge has decided a trial yet"
      action={<LinkButton to="/scenarios">Scenarios</LinkButton>}
    >
      <p className="mb-2">Give a scenario a judge, run it, and its trials can be labelled here.</p>
      <CommandLine command="assay run --judge-model openai/gpt-4o-mini" />
    </EmptyCard>
  );
}
