import { useEffect, useRef } from 'preact/hooks';
import type { Order } from '../../../../client/src/index.ts';
import { useCategoryNames } from '../categories/use-category-names.ts';
import { dayOf, startOf, tellTime, titleOf } from '../day.ts';
import { countBy, countSales, renderCsv, type Sale } from './sale.ts';
import type { SalesView } from './use-sales.ts';

interface SheetHeadProps {
  day: string;
  view: SalesView;
  shown: readonly Sale[];
}

/** The day, its totals once they are known, and what can be done with the sheet. */
export function SheetHead({ day, view, shown }: SheetHeadProps) {
  const names = useCategoryNames();
  const today = dayOf(new Date());
  const picker = useRef<HTMLInputElement>(null);
  const showDay = () => {
    if (picker.current) picker.current.value = day;
  };
  // A date that is being typed is ahead of the day, and its keys must not be lost.
  useEffect(() => {
    if (!picker.current?.matches(':focus')) showDay();
  }, [day]);
  const go = (to: string) => {
    location.hash = `#/sales?day=${to}`;
  };
  const step = (days: number) => go(dayOf(startOf(day, days)));
  const { sold, pending, returned } = countSales(view.sales);
  const readAt = view.readAt && tellTime(view.readAt, today);
  const save = () => {
    const text = renderCsv(shown, (id) => names.nameOrNumber(id));
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
    link.download = `sales-${day}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <div class="sheet-head">
      <h1>
        <span class="on-paper">Sales, </span>
        {titleOf(day)}
        <span class="on-paper">, {startOf(day).getFullYear()}</span>
      </h1>
      <span class="steps">
        <button type="button" class="plain small" aria-label="The day before" onClick={() => step(-1)}>
          ‹
        </button>
        <input
          ref={picker}
          type="date"
          class="small"
          aria-label="Day"
          required
          // A year that is still being typed is before this.
          min="2000-01-01"
          max={today}
          defaultValue={day}
          onChange={({ currentTarget: { validity, value } }) => validity.valid && go(value)}
          onBlur={showDay}
        />
        <button
          type="button"
          class="plain small"
          aria-label="The day after"
          disabled={day >= today}
          onClick={() => step(1)}
        >
          ›
        </button>
      </span>
      <p class="total" role="status">
        {view.isComplete ? (
          <>
            <span>
              Sold <b>{sold.toLocaleString('en')}</b>
            </span>
            <span>pending {pending.toLocaleString('en')}</span>
            <span>returned {returned.toLocaleString('en')}</span>
            <span>as of {readAt}</span>
          </>
        ) : (
          view.error === undefined && 'Loading…'
        )}
      </p>
      <span class="steps">
        <button type="button" class="plain small" onClick={view.reload}>
          Reload
        </button>
        <button type="button" class="plain small" disabled={!view.isComplete} onClick={save}>
          CSV
        </button>
        <button type="button" class="plain small" disabled={!view.isComplete} onClick={() => print()}>
          Print
        </button>
      </span>
    </div>
  );
}

/** The totals by till and by category once they are known; folded where there is no room beside the sheet. */
export function SheetTotals({ view }: { view: SalesView }) {
  const names = useCategoryNames();
  const categoryOf = ({ categoryId: id }: Order) => (id === undefined ? undefined : names.nameOrNumber(id));
  const tables = {
    Till: countBy(view.sales, ({ createdBy }) => createdBy),
    Category: countBy(view.sales, categoryOf),
  };
  return (
    <details class="totals card" open={matchMedia('(min-width: 60rem)').matches}>
      <summary>By till and category</summary>
      {view.isComplete &&
        Object.entries(tables).map(([title, totals]) => (
          <table key={title}>
            <thead>
              <tr>
                <th>{title}</th>
                <th class="number">Sold</th>
                <th class="number">Pending</th>
                <th class="number">Returned</th>
              </tr>
            </thead>
            <tbody>
              {totals.map(({ text, sold, pending, returned }) => (
                <tr key={text}>
                  <th scope="row">
                    <bdi>{text}</bdi>
                  </th>
                  {[sold, pending, returned].map((count, column) => (
                    <td key={column} class="number">
                      {count.toLocaleString('en')}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        ))}
    </details>
  );
}
