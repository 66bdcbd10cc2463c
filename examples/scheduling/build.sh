# Builds solver and judge.
c++ -O2 -o schedule schedule.cpp && c++ -O2 -o validate validate.cpp
