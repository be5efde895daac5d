import { Gauge, Regex, Shuffle } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import type { RunSearch } from '../../../app/search-params.ts';
import { Button } from '../../../kit/button.tsx';
import { classes } from '../../../kit/classes.ts';
import { FilterTools } from '../../../kit/filter-tools.tsx';
import { MultiSelect } from '../../../kit/multi-select.tsx';
import { Select } from '../../../kit/select.tsx';
import { SearchInput } from '../../../kit/text-input.tsx';
import { useLoadedState } from '../../../kit/use-loaded-state.ts';
import { resultFilterTools } from '../result-filter.ts';
import { outcomeOptions } from '../trial-list.tsx';
import { type GridColumn, writtenColumns } from './grid-columns.ts';

interface GridFiltersProps {
  readonly search: RunSearch;
  readonly all: readonly GridColumn[];
  readonly shown: readonly GridColumn[];
  readonly hasVariants: boolean;
  readonly hasMetadata: boolean;
  readonly onChange: (part: Partial<RunSearch>) => void;
}

/** Which cases are listed, and which columns they have. */
export function GridFilters({ search, all, shown, hasVariants, hasMetadata, onChange }: GridFiltersProps) {
  return (
    <>
      {(hasVariants || search.differs !== undefined) && (
        <Toggle
          label="Different between variants"
          title="Only cases that some variants pass more often than others"
          icon={<Shuffle size={14} aria-hidden />}
          isOn={search.differs === 'true'}
          onChange={(isOn) => onChange({ differs: isOn ? 'true' : undefined })}
        />
      )}
      <Select
        label="Outcome"
        options={outcomeOptions}
        value={search.outcome ?? ''}
        onChange={(outcome) => onChange({ outcome: outcome || undefined })}
      />
      {(hasMetadata || search.where !== undefined) && (
        <SearchInput
          value={search.where ?? ''}
          onChange={(where) => onChange({ where: where || undefined })}
          placeholder="Metadata: name=value"
        />
      )}
      <div className="flex min-w-0 items-center gap-1">
        <SearchInput
          value={search.text ?? ''}
          onChange={(text) => onChange({ text: text || undefined })}
          placeholder="Input, answer, reason, id"
          label="Search cases"
        />
        {!isReport && (
          <Toggle
            label="Regular expression"
            title="The text is a regular expression (RE2 syntax)"
            icon={<Regex size={14} aria-hidden />}
            isOn={search.regex === 'true'}
            isBare
            onChange={(isOn) => onChange({ regex: isOn ? 'true' : undefined })}
          />
        )}
      </div>
      {!isReport && (
        <MultiSelect
          label="Columns"
          text={`Columns (${shown.length})`}
          options={all.map(({ key, label }) => ({ value: key, label }))}
          value={shown.map(({ key }) => key)}
          placeholder="None"
          onChange={(keys) => onChange({ columns: writtenColumns(keys) || 'none' })}
        />
      )}
      {!isReport && <FigureFilter all={all} search={search} onChange={onChange} />}
      <FilterTools {...resultFilterTools(search, onChange)} />
    </>
  );
}

const loadFigureDialog = () => import('./figure-dialog.tsx');
const FigureDialog = /* @__PURE__ */ lazy(async () => ({ default: (await loadFigureDialog()).FigureDialog }));

/** Opens the condition on a figure or verdict. */
function FigureFilter({ all, search, onChange }: Pick<GridFiltersProps, 'all' | 'search' | 'onChange'>) {
  const [isOpen, setIsOpen] = useLoadedState(false);
  const columns = all.filter(({ key, sort }) => sort === key);
  return (
    <>
      <Button
        variant="ghost"
        icon={<Gauge size={14} aria-hidden />}
        aria-haspopup="dialog"
        onPointerEnter={() => void loadFigureDialog()}
        onFocus={() => void loadFigureDialog()}
        onClick={() => setIsOpen(true)}
      >
        Figure or verdict
      </Button>
      <Suspense>
        {isOpen && (
          <FigureDialog
            columns={columns}
            written={search.figure}
            onChange={(figure) => onChange({ figure })}
            onClose={() => setIsOpen(false)}
          />
        )}
      </Suspense>
    </>
  );
}

interface ToggleProps {
  readonly label: string;
  readonly title: string;
  readonly icon: ReactNode;
  readonly isOn: boolean;
  /** The sign alone. */
  readonly isBare?: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Toggle({ label, title, icon, isOn, isBare = false, onChange }: ToggleProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      aria-label={label}
      title={title}
      onClick={() => onChange(!isOn)}
      className={classes(
        'inline-flex h-9 shrink-0 items-center gap-1.5 rounded-md border px-2.5 text-sm whitespace-nowrap',
        isOn ? 'border-accent bg-accent-ground text-accent' : 'border-edge/60 bg-surface text-muted hover:border-edge',
      )}
    >
      {icon}
      {!isBare && label}
    </button>
  );
}
