/**
 * One animal as JSON, of the columns in scope: int64 to the last digit, no spaces, an absent status left out
 * (`concat` skips what is null). Measured for a page of 100 animals, all else equal: `concat` 252 µs,
 * `format` 258, `||` 308, `json_agg(json_build_object(…))` 396, `jsonb_build_object` 492; one row per
 * animal, joined by us, 346. For a page of 20: 166, 150, 203, 218, 206 and 136.
 */
export const petJson = `concat('{"id":', id, ',"name":', to_json(name), ',"categoryId":', category_id,
  ',"status":"' || status || '"', '}')`;
