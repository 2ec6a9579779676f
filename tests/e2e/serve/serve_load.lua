-- What wrk asks `fingerpost serve`, and its judgement of each answer. `requests` has bodies, `wanted` the two answers that
-- are right for each, by the first address. serve_load_test.py writes both in front of this.
local threads = {}
local next_request = 0

function setup(thread)
  thread:set("number", #threads)
  table.insert(threads, thread)
end

function init(args)
  right_a, right_b, wrong, mixed = 0, 0, 0, 0
  first_wrong = ""
  next_request = number * 37
end

function request()
  next_request = next_request % #requests + 1
  return wrk.format("POST", "/lookup", nil, requests[next_request])
end

function response(status, headers, body)
  local key = string.match(body, '"address":"([^"]+)"')
  local pair = key and wanted[key]
  if status == 200 and pair and body == pair[1] then
    right_a = right_a + 1
  elseif status == 200 and pair and body == pair[2] then
    right_b = right_b + 1
  else
    -- Next hops of one table begin with `a`, those of the other with `b`.
    if string.find(body, '"next_hop":"a') and string.find(body, '"next_hop":"b') then
      mixed = mixed + 1
    end
    wrong = wrong + 1
    first_wrong = tostring(status) .. " " .. string.sub(body, 1, 300)
  end
end

function done(summary, latency, all)
  local total = {right_a = 0, right_b = 0, wrong = 0, mixed = 0}
  for _, thread in ipairs(threads) do
    for name in pairs(total) do
      total[name] = total[name] + thread:get(name)
    end
    if thread:get("first_wrong") ~= "" then
      io.write("WRONG ", thread:get("first_wrong"), "\n")
    end
  end
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"requests":%d,"seconds":%f,"right_a":%d,"right_b":%d,"wrong":%d,"mixed":%d,"connect":%d,"read":%d,"write":%d,'
      .. '"status":%d,"timeout":%d,"p50":%f,"p99":%f,"longest":%f}\n',
    summary.requests, summary.duration / 1e6, total.right_a, total.right_b, total.wrong, total.mixed, errors.connect,
    errors.read, errors.write, errors.status, errors.timeout, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    latency.max / 1e3))
end
