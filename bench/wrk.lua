-- Sends the requests of the file that BENCH_REQUESTS names, in order and again from the first: one line
-- each, "METHOD<tab>path<tab>body". A single request is left to wrk itself, which then runs no Lua per request.
-- Says READY when it has read the file: the load begins then.
local only
function setup(thread)
  only = thread
end

function init()
  readRequests()
  processorSecondsBefore = os.clock()
  io.stderr:write("READY\n")
end

function readRequests()
  local lines = {}
  for line in io.lines(os.getenv("BENCH_REQUESTS")) do
    lines[#lines + 1] = line
  end
  if #lines == 1 then
    wrk.method, wrk.path, wrk.body = lines[1]:match("^(%u+)\t([^\t]*)\t(.*)$")
    if wrk.body == "" then wrk.body = nil else wrk.headers["Content-Type"] = "application/json" end
    return
  end

  -- As wrk.format writes them, but with the headers put together once instead of for every line.
  local headers = " HTTP/1.1\r\n"
  for name, value in pairs(wrk.headers) do
    headers = headers .. name .. ": " .. value .. "\r\n"
  end
  local requests, position = {}, tonumber(os.getenv("BENCH_START"))
  for index, line in ipairs(lines) do
    local method, path, body = line:match("^(%u+)\t([^\t]*)\t(.*)$")
    local ofBody = body == "" and "" or "Content-Type: application/json\r\nContent-Length: " .. #body .. "\r\n"
    requests[index] = method .. " " .. path .. headers .. ofBody .. "\r\n" .. body
  end
  function request()
    position = position % #requests + 1
    return requests[position]
  end
end

function done(summary)
  local errors = summary.errors
  -- What wrk needed to read the file is no part of the load.
  local before = only:get("processorSecondsBefore")
  io.write(string.format(
    'RESULT {"requests":%d,"micros":%d,"processorSeconds":%.3f,"errors":%d}\n',
    summary.requests, summary.duration, os.clock() - before,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
