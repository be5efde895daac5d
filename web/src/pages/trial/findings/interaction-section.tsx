import type { Interaction } from '../../../../../src/domain/interaction.ts';
import { figureText, percentText } from '../../../../../src/report/presentation/figures-text.ts';
import { Badge } from '../../../kit/badge.tsx';
import { Card } from '../../../kit/card.tsx';
import { SmallTable } from '../../../kit/small-table.tsx';
import { Remark } from './remark.tsx';

const counts = ['total_commands', 'unique_commands', 'error_count', 'retry_count', 'help_invocations'] as const;
const headers = ['Calls', 'Different', 'Errors', 'Again', 'Help', 'Error rate', 'First try'];

/** How well the agent used the tool, all in all and by subcommand; diagnostic, and never part of the outcome. */
export function InteractionSection({ interaction }: { interaction: Interaction }) {
  const rows = [['All commands', interaction] as const, ...Object.entries(interaction.subcommands)];
  return (
    <Card title="How the tool was used" actions={<Badge tone="neutral">seen by: {interaction.source}</Badge>} isFlush>
      <SmallTable
        label="How the tool was used"
        columns={[{ header: 'Command' }, ...headers.map((header) => ({ header, isFigure: true }))]}
        rows={rows.map(([name, figures], index) => ({
          key: `${index} ${name}`,
          cells: [
            index === 0 ? (
              <strong key="name">{name}</strong>
            ) : (
              <code key="name" className="font-mono text-xs">
                {name}
              </code>
            ),
            ...counts.map((key) => figureText(figures[key])),
            percentText(figures.error_rate),
            percentText(figures.first_try_success_rate),
          ],
        }))}
      />
      <div className="flex flex-col gap-2 px-4 py-2 empty:hidden">
        {!interaction.completed && <Remark tone="warn">The agent did not complete.</Remark>}
        {interaction.disagreements.map(({ message }) => (
          <Remark key={message} tone="info">
            {message}
          </Remark>
        ))}
        {interaction.unrecorded.length > 0 && (
          <Remark tone="info">
            Went round the recorder:
            <ul className="font-mono text-xs">
              {interaction.unrecorded.map((line, index) => (
                <li key={`${index + 1}`}>{line}</li>
              ))}
            </ul>
          </Remark>
        )}
      </div>
    </Card>
  );
}
