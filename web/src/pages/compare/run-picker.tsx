import { Combobox } from '@base-ui/react/combobox';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Check, ChevronsUpDown } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import type { RunItem } from '../../../../src/entry/server/api/runs.ts';
import { counted } from '../../../../src/shared/format.ts';
import { runListQuery, runQuery } from '../../data/queries.ts';
import { OutcomeBadge } from '../../kit/badge.tsx';
import { classes } from '../../kit/classes.ts';
import { When } from '../../kit/figures.tsx';
import { popupItemLook, popupLook } from '../../kit/popup-look.ts';
import { inputLook } from '../../kit/text-input.tsx';
import { runTitle } from '../runs/run-summary.tsx';

interface RunPickerProps {
  readonly label: string;
  readonly runId: string | undefined;
  readonly onChange: (runId: string) => void;
}

/** Chooses a run; by its name, its id or a scenario. */
export function RunPicker({ label, runId, onChange }: RunPickerProps) {
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text.trim());
  const { data, isFetching } = useInfiniteQuery(runListQuery(wanted === '' ? {} : { text: wanted }));
  const chosen = useQuery({ ...runQuery(runId ?? ''), enabled: runId !== undefined }).data;
  const runs = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Combobox.Root
      items={runs}
      filter={null}
      value={runs.find((run) => run.runId === runId) ?? chosen ?? null}
      itemToStringLabel={runTitle}
      isItemEqualToValue={(run: RunItem, other: RunItem) => run.runId === other.runId}
      onValueChange={(run: RunItem | null) => run && onChange(run.runId)}
      inputValue={text}
      onInputValueChange={setText}
      onOpenChange={() => setText('')}
    >
      <div className="flex min-w-52 flex-1 flex-col gap-1">
        <Combobox.Label className="text-xs text-muted">{label}</Combobox.Label>
        <Combobox.Trigger
          aria-label={label}
          className={classes(inputLook, 'flex h-9 w-full items-center justify-between gap-2 text-left')}
        >
          <span className={classes('truncate', !runId && 'text-muted')}>
            {chosen ? <ChosenRun run={chosen} /> : (runId ?? 'Choose a run')}
          </span>
          <ChevronsUpDown size={14} aria-hidden className="shrink-0 text-muted" />
        </Combobox.Trigger>
      </div>
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} align="start" className="z-50 outline-hidden">
          <Combobox.Popup className={classes(popupLook, 'w-96')} aria-label={label} aria-busy={isFetching}>
            <Combobox.Input
              aria-label="Search runs"
              placeholder="Search runs"
              className={classes(inputLook, 'h-9 w-full')}
            />
            <Combobox.Empty className="px-2 text-sm text-muted not-empty:py-3">
              {isFetching ? 'Searching …' : 'No run matches.'}
            </Combobox.Empty>
            <Combobox.List className="mt-1 max-h-[min(22rem,var(--available-height))] overflow-y-auto overscroll-contain">
              {(run: RunItem) => (
                <Combobox.Item key={run.runId} value={run} className={popupItemLook}>
                  <Combobox.ItemIndicator className="col-start-1 row-start-1">
                    <Check size={14} aria-hidden />
                  </Combobox.ItemIndicator>
                  <RunLine run={run} />
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}

function RunLine({ run }: { run: RunItem }) {
  return (
    <span className="col-start-2 min-w-0">
      <span className="flex items-center gap-2">
        <span className="truncate">{runTitle(run)}</span>
        <OutcomeBadge outcome={run.outcome} marks={Object.keys(run.marks)} />
      </span>
      <span className="block truncate text-xs text-muted">
        <When at={run.startedAt} />, {counted(run.totals.planned, 'trial')}, {run.runId}
      </span>
    </span>
  );
}

/** Runs of the same scenarios have the same title, so it takes their time to distinguish them. */
function ChosenRun({ run }: { run: RunItem }) {
  return (
    <>
      {runTitle(run)}
      <span className="text-muted">
        {' · '}
        <When at={run.startedAt} />
      </span>
    </>
  );
}
